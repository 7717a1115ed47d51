# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""The loop of a judge: each line of standard input is a case with tabs between its fields, and each line of standard output a verdict."""

import sys


def answer(judge):
    for line in sys.stdin:
        number, *fields = line.rstrip("\n").split("\t")
        print(number, judge(*fields).replace("\n", " "), sep="\t", flush=True)
