# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Tests Vim and Neovim with the samples; probe.vim answers the questions."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from colours import ask_colours
from results import COMMAND, ROOT, SAMPLES, TESTS, VIM, expect, expecting, places, rows, schema_sample, skip

EDITORS = {
    "vim": ("vim", "-N", "-u", "NONE", "-i", "NONE", "-es"),
    "nvim": ("nvim", "--headless", "-u", "NONE", "-i", "NONE"),
}


class Editor:
    """Sends questions to an editor that loads our files as a package and no other files of the user."""

    def __init__(self, name, folder):
        self.name, self.folder, self.questions, self.uses = name, folder, [], []

    def ask(self, use, *question):
        """Adds a question; `use` receives the answer."""
        self.questions.append(question)
        self.uses.append(use)

    def run(self):
        package = self.folder / "pack" / "countersign" / "start" / "countersign"
        shutil.copytree(VIM, package)
        questions, answers = self.folder / "questions", self.folder / "answers"
        questions.write_text(json.dumps(self.questions))
        environment = {
            "HOME": str(self.folder), "PATH": f"{COMMAND.parent}:{os.environ['PATH']}", "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8", "COUNTERSIGN_QUESTIONS": str(questions), "COUNTERSIGN_ANSWERS": str(answers)}
        command = EDITORS[self.name] + (
            "--cmd", f"set packpath^={self.folder}", "-c", f"source {TESTS / 'probe.vim'}", "-c", "qall!")
        result = subprocess.run(
            command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=120)
        # In Ex mode, Vim prints the messages of :put and similar commands; an error message has a number.
        expect(not re.search(r"\bE\d+:|Error", result.stdout + result.stderr), f"{self.name}: no errors",
               (result.stdout + result.stderr)[:2000])
        if not answers.exists():
            expect(False, f"{self.name} answers", result.stderr[:2000])
            return
        for question, use, answer in zip(self.questions, self.uses, json.loads(answers.read_text())):
            if "wrong" in answer:
                expect(False, f"{self.name}: {question[0]} {str(question[1:])[:80]}", answer["wrong"])
            else:
                use(answer["answer"])


def ask_filetypes(editor):
    for name, lines, wanted in rows("filetypes.tsv"):
        editor.ask(expecting(wanted, f"{editor.name}: filetype of {name}"), "Detect", name, lines.split("|"))


def ask_groups(editor):
    for file, wanted in places(3).items():
        def use(names, file=file, wanted=wanted):
            for name, (number, _, text, group) in zip(names, wanted):
                expect(name == group, f"{editor.name}: {file}:{number} {text}", f"{name}, not {group}")

        lines = (SAMPLES / file).read_text().splitlines()
        editor.ask(use, "Groups", str(SAMPLES / file), [
            (number, len(lines[number - 1][:position].encode()) + 1) for number, position, *_ in wanted])


def ask_schema(editor):
    """Checks that every key and every value of the schema is highlighted, so that the syntax is complete."""
    lines, found = schema_sample()
    file = editor.folder / "schema.trust-policy.yaml"
    file.write_text("\n".join(lines) + "\n")

    def use(names):
        for name, (_, _, kind, text) in zip(names, found):
            wanted = {
                "Key": r"countersignKey", "Word": r"countersign(Word_\w+|Weak)", "Method": r"countersignMethod"}[kind]
            expect(re.fullmatch(wanted, name), f"{editor.name}: {text}", name)

    editor.ask(use, "Groups", str(file), [place[:2] for place in found])


POLICY = """\
version: 1
default:
  anchors: {add: [corp.pem]}
  pins:
    any:
      - sha256/AA
      - sha256/AB
    until: 2027-01-31
domains:
  a.test:
    methods: [
      ntlm,
      basic
    ]
    minimum-tls: "1.3"
  "2001:db8::1":
    anchors:
      only:
        - a.pem
"""
NETRC = """\
machine a.test
  login mary
  password x
default
  login anonymous
"""


def ask_indentation(editor):
    policy = (SAMPLES / "trust-policy.yaml").read_text().splitlines()
    for name, lines in (("a.trust-policy.yaml", policy), ("b.trust-policy.yaml", POLICY.splitlines()),
                        ("a.netrc", NETRC.splitlines())):
        flat = [line.strip() for line in lines]
        editor.ask(expecting(lines, f"{editor.name}: indentation of {name}"), "Indent", name, flat)
        editor.ask(expecting(lines, f"{editor.name}: a right indentation of {name} stays"), "Indent", name, lines)
    for name, lines in (("c.trust-policy.yaml", POLICY.splitlines()), ("b.netrc", NETRC.splitlines())):
        editor.ask(expecting(lines, f"{editor.name}: typing of {name}"), "Type", name, [line.strip() for line in lines])


def ask_options(editor):
    names = ["commentstring", "expandtab", "shiftwidth"]
    for file in ("trust-policy.yaml", "sample.netrc"):
        editor.ask(expecting(["# %s", 1, 2], f"{editor.name}: options of {file}"), "Options", str(SAMPLES / file), names)
    editor.ask(expecting([0, 0], f"{editor.name}: no copies of a private key"), "Options", str(SAMPLES / "chain.pem"),
               ["swapfile", "undofile"])
    for file in ("trust-policy.yaml", "sample.netrc", "chain.pem"):
        editor.ask(expecting([True] * 3, f"{editor.name}: options of {file} are undone"), "Undo", str(SAMPLES / file),
                   ["commentstring", "indentexpr", "makeprg"])


def ask_make(editor):
    if not COMMAND.exists():
        skip(f"{editor.name}: :make", f"{COMMAND.relative_to(ROOT)} is not built")
        return
    for file, line, rest, kinds in (
        ("broken.trust-policy.yaml", 5, "forbiden", ["e"]),
        # No column of this file is equal to its byte offset.
        ("columns.trust-policy.yaml", 2, '"größer.pem"', ["e", "e"]),
        ("second.trust-policy.yaml", 2, "none.pem", ["e"]),
        ("weak.trust-policy.yaml", 2, "dangerously-disabled", ["w"]),
        ("trust-policy.yaml", 10, "corp-root.pem", ["e"]),
    ):
        folder = editor.folder / "made" / file.split(".")[0]
        folder.mkdir(parents=True)
        copy = folder / file
        if file.startswith("second"):
            shutil.copy(SAMPLES / "root.pem", folder / "größer.pem")
            copy = copy.with_name("ü " + file)
            text = (SAMPLES / "columns.trust-policy.yaml").read_text()
        elif file.startswith("weak"):
            text = "version: 1\ndefault: {validation: dangerously-disabled}\n"
        else:
            text = (SAMPLES / file).read_text()
        copy.write_text(text)

        def use(found, file=file, wanted=(line, rest, kinds)):
            holds = (found["line"] == wanted[0] and found["rest"].startswith(wanted[1])
                     and [kind for _, kind, _ in found["list"]] == wanted[2])
            expect(holds, f"{editor.name}: :make of {file}", found)

        editor.ask(use, "Make", str(copy))


def ask_help(editor):
    text = (VIM / "doc" / "countersign.txt").read_text()
    own = re.findall(r"(?<!\S)\*(\S+)\*(?!\S)", text)
    links = re.findall(r"(?<!\S)\|(\S+)\|", text)
    expect(len(own) > 5 and len(links) > 5, f"{editor.name}: the help has tags and links", (own, links))
    editor.ask(expecting(len(own + links), f"{editor.name}: every tag of the help is there"), "Help",
               str(editor.folder / "pack" / "countersign" / "start" / "countersign" / "doc"), own + links)
    long = [line for line in text.splitlines() if len(line) > 78]
    expect(not long, f"{editor.name}: the help is at most 78 columns wide", long)


def test_editor(name):
    if not shutil.which(name):
        skip(name, "it is not installed; scripts/make/setup editors does it")
        return
    with tempfile.TemporaryDirectory() as folder:
        editor = Editor(name, pathlib.Path(folder))
        for ask in (ask_filetypes, ask_groups, ask_schema, ask_indentation, ask_options, ask_make, ask_help, ask_colours):
            ask(editor)
        editor.run()
