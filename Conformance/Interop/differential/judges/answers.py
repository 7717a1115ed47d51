# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""The loop of a judge: a case a line on standard input, with tabs between its fields, and a verdict a line on standard output."""

import sys


def answer(judge):
    for line in sys.stdin:
        number, *fields = line.rstrip("\n").split("\t")
        print(number, judge(*fields).replace("\n", " "), sep="\t", flush=True)
