# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Defines the paths, the expected results and the counters of the editor tests."""

import collections
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VIM = ROOT / "editors" / "vim"
CODE = ROOT / "editors" / "vscode"
TESTS = ROOT / "editors" / "tests"
SAMPLES = TESTS / "samples"
SCHEMA = json.loads((ROOT / "docs/reference/schemas/trust-policy.json").read_text())
COMMAND = ROOT / ".build" / "debug" / "countersign"

counts = collections.Counter()


def expect(holds, what, found=""):
    counts["passed" if holds else "failed"] += 1
    if not holds:
        print(f"FAILED {what}: {found}")


def skip(what, reason):
    counts["skipped"] += 1
    print(f"skipped: {what}: {reason}")


def expecting(wanted, what):
    return lambda found: expect(found == wanted, what, f"{found!r}, not {wanted!r}")


def rows(name):
    """Yields the rows of a table whose cells are separated by tabs, without comments."""
    for line in (TESTS / name).read_text().splitlines():
        if line and not line.startswith("# "):
            yield line.split("\t")


def places(column):
    """Returns, for each sample, the positions in the table with the expected value of this column."""
    found = {}
    for row in rows("groups.tsv"):
        file, number, text = row[:3]
        line = (SAMPLES / file).read_text().splitlines()[int(number) - 1]
        start = line.index(text)
        # The last character of a text is checked too, so that a group that ends too early is found.
        for position in {start, start + len(text.rstrip("}")) - 1}:
            found.setdefault(file, []).append((int(number), position, text, row[column]))
    return found


def schema_words():
    """Returns the values of each key of an entry, and of each nested key."""
    entry = SCHEMA["properties"]["domains"]["patternProperties"]
    keys = {}
    for key, value in next(iter(entry.values()))["properties"].items():
        keys[key] = words_of(value)
        for part in value.get("oneOf", ()):
            for below, more in part.get("properties", {}).items():
                keys[key, below] = words_of(more)
    return keys


def words_of(schema):
    if schema.get("type") == "boolean":
        return ["true", "false"]
    words = schema.get("enum", []) + [word for part in schema.get("oneOf", ()) for word in part.get("enum", [])]
    return [word for word in words if isinstance(word, str)]


def schema_sample():
    """Returns a policy with every key and every value of the schema, and their positions by line and column from 1."""
    lines, found = ["version: 1", "domains:"], []
    for key, words in schema_words().items():
        for word in words or [None]:
            lines += ["  a.test:", f"    {key}: {word}"] if isinstance(key, str) else [
                "  a.test:", f"    {key[0]}:", f"      {key[1]}: {word}"]
            indent = 4 if isinstance(key, str) else 6
            name = key if isinstance(key, str) else key[1]
            found.append((len(lines), indent + 1, "Key", f"{name}:"))
            if word:
                found.append((len(lines), indent + len(name) + 3, "Word", f"{name}: {word}"))
    for word in SCHEMA["properties"]["default"]["properties"]["methods"]["oneOf"][1]["items"]["enum"]:
        lines += ["  a.test:", f"    methods: [{word}]"]
        found.append((len(lines), 15, "Method", f"methods: [{word}]"))
    return lines, found
