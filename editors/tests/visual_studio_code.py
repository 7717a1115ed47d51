# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Tests the structure of the extension, and its grammars with the samples."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

from results import CODE, ROOT, SAMPLES, TESTS, expect, places, schema_sample, skip

TOKENIZER = ("textmate-grammar-python==0.6.1", "onigurumacffi==1.5.0")


def test_extension():
    """Checks that every file that the extension names exists, and that each grammar belongs to a language."""
    package = json.loads((CODE / "package.json").read_text())
    contributed = package["contributes"]
    languages = {language["id"]: language for language in contributed["languages"]}
    grammars = {grammar["language"]: grammar for grammar in contributed["grammars"]}
    expect(set(languages) == set(grammars), "vscode: each language has a grammar", (set(languages), set(grammars)))
    for name, grammar in grammars.items():
        content = json.loads((CODE / grammar["path"]).read_text())
        expect(content["scopeName"] == grammar["scopeName"], f"vscode: scope of {name}")
        configuration = json.loads((CODE / languages[name]["configuration"]).read_text())
        expect(configuration["comments"] == {"lineComment": "#"}, f"vscode: comments of {name}")
    for kind in ("yamlValidation", "jsonValidation"):
        for entry in contributed[kind]:
            json.loads((CODE / entry["url"]).read_text())
            expect(entry["url"].startswith("./"), f"vscode: {entry['url']} is in the folder")
    for key in ("name", "publisher", "version", "engines", "license", "description", "categories"):
        expect(key in package, f"vscode: package.json has {key}")


def tokenizer_python(installs):
    """Returns a Python interpreter with the tokenizer for TextMate grammars; None if it is not available."""
    folder = ROOT / ".build" / "editors"
    python = folder / "bin" / "python"
    ready = folder / "ready"
    if not ready.exists() or ready.read_text() != str(TOKENIZER):
        if not installs:
            return None
        commands = ((sys.executable, "-m", "venv", "--clear", folder), (python, "-m", "pip", "install", "--quiet", *TOKENIZER))
        if any(subprocess.run(command, stdout=subprocess.DEVNULL).returncode for command in commands):
            return None
        ready.write_text(str(TOKENIZER))
    return python


def test_grammars(installs):
    """Checks that the grammars produce the expected scope at each position of the samples."""
    python = tokenizer_python(installs)
    if python is None:
        skip("vscode: the grammars", "PyPI's textmate-grammar-python cannot be installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        files = {file: (SAMPLES / file).read_text() for file in places(4)}
        lines, words = schema_sample()
        files["schema.yaml"] = "\n".join(lines) + "\n"
        question = pathlib.Path(folder) / "question"
        question.write_text(json.dumps(files))
        result = subprocess.run((python, TESTS / "tokenize_samples.py", CODE, question), cwd=folder, capture_output=True, text=True)
        if result.returncode:
            expect(False, "vscode: the grammars are read", result.stderr[-2000:])
            return
        tokens = json.loads(result.stdout)
    for file, wanted in places(4).items():
        for number, position, text, scope in wanted:
            scopes = scopes_at(tokens[file], number, position)
            expect(any(found == scope or found.startswith(scope + ".") for found in scopes),
                   f"vscode: {file}:{number} {text}", f"{scopes}, not {scope}")
    scope_of = {"Key": "support.type.property-name", "Word": "constant.language|invalid.deprecated", "Method": "constant.language"}
    for number, column, kind, text in words:
        scopes = scopes_at(tokens["schema.yaml"], number, column - 1)
        expect(re.match(f"({scope_of[kind]})\\b", scopes[-1] if scopes else ""), f"vscode: {text}", scopes)


def scopes_at(tokens, number, position):
    """Returns the scopes of the token at a position, from the outermost."""
    for line, start, length, scopes in tokens:
        if line == number - 1 and start <= position < start + length:
            return scopes
    return []
