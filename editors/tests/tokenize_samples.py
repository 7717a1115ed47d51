#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Prints the tokens of texts, produced by the TextMate grammars in a folder: a list per file, as [line, start, length, scopes].

It requires textmate-grammar-python, a port of Visual Studio Code's tokenizer. Lines and columns start at 0; columns count characters.

Usage: tokenize_samples.py FOLDER TEXTS   where TEXTS is a JSON object with the text of each file
"""

import json
import logging
import pathlib
import sys

from textmate_grammar.parsers.base import LanguageParser

logging.disable(logging.CRITICAL)
folder = pathlib.Path(sys.argv[1])
GRAMMARS = {".yaml": "countersign-policy", ".netrc": "netrc", ".pem": "pem"}


def tokens(element):
    """Returns the text of each token with its enclosing scopes."""
    return [
        [line, column, len(text), [scope for scope in scopes if scope]]
        for (line, column), text, scopes in element.flatten()]


found = {}
for name, text in json.loads(pathlib.Path(sys.argv[2]).read_text()).items():
    grammar = json.loads((folder / "syntaxes" / f"{GRAMMARS[pathlib.Path(name).suffix]}.tmLanguage.json").read_text())
    parser = LanguageParser(grammar)
    found[name] = tokens(parser.parse_string(text))
json.dump(found, sys.stdout)
