# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Runs the converted suites with LimboHarness, and fails if a divergence is not listed, or is listed and no longer occurs."""

import argparse
import collections
import fnmatch
import json
import subprocess
import sys
from pathlib import Path

import boringssl
import golang
import gnutls
import openssl
import webpki
from cases import Outside

SUITES = {"golang": golang, "openssl": openssl, "gnutls": gnutls, "boringssl": boringssl, "rustls-webpki": webpki}
HEAD = {
    "suite": "suite", "cases": "cases", "expected": "as expected", "listed": "diverge as listed", "outside": "out of scope",
    "unexplained": "unexplained"}
DIVERGENCES = Path(__file__).resolve().parent / "divergences.json"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="contains the checkouts: " + ", ".join(SUITES))
    parser.add_argument("--harness", type=Path, help="LimboHarness")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the converted suites there, and do not run them")
    parser.add_argument("--only", metavar="SUITE", choices=SUITES)
    parser.add_argument("--verbose", action="store_true", help="print every divergence with its reason")
    return parser.parse_args()


class Listing:
    """The listed divergences of a suite: for each direction, reasons with the patterns of the ids to which they apply.

    The direction is a part of the listing, so that a pattern for refused chains never hides an accepted one.
    """

    def __init__(self, name):
        directions = json.loads(DIVERGENCES.read_text(encoding="utf-8")).get(name, {})
        self.reasons = {
            (direction, pattern): reason for direction, reasons in directions.items() for reason, patterns in reasons.items()
            for pattern in patterns}
        self.unused = set(self.reasons)

    def reason(self, id, direction):
        """Returns the reason of the most specific pattern."""
        found = [key for key in self.reasons if key[0] == direction and matches(id, key[1])]
        self.unused -= set(found)
        return self.reasons[max(found, key=lambda key: len(key[1]))] if found else None


def matches(id, pattern):
    """Whether a pattern of file names matches an id without the name of its suite."""
    own = id.partition("::")[2]
    return own == pattern or fnmatch.fnmatchcase(own, pattern)


def results(harness, cases):
    suite = json.dumps({"version": 1, "testcases": [one.fields for one in cases]})
    output = subprocess.run([harness], input=suite, stdout=subprocess.PIPE, text=True, check=True).stdout
    return json.loads(output)["results"]


def judged(name, items, options):
    """Prints the divergences of a suite, and returns its row of the table."""
    cases = [one for one in items if not isinstance(one, Outside)]
    listing = Listing(name)
    row = {"suite": name, "cases": len(items), "outside": len(items) - len(cases), "expected": 0, "listed": 0, "unexplained": 0}
    for one, result in zip(cases, results(options.harness, cases)):
        if result["actual_result"] == one.fields["expected_result"]:
            row["expected"] += 1
            continue
        reason = listing.reason(one.id, "we accept" if result["actual_result"] == "SUCCESS" else "we refuse")
        row["listed" if reason else "unexplained"] += 1
        if not reason or options.verbose:
            ours = (result["context"] or "trusted").replace("\n", ", ")
            print(f"{'divergent' if reason else 'UNEXPLAINED'}: {one.id}: expected {one.fields['expected_result']}, {ours}"
                  + (f" ({reason})" if reason else ""))
    outside = collections.Counter(one.feature for one in items if isinstance(one, Outside))
    if outside and options.verbose:
        print(f"{name}: out of scope: " + ", ".join(f"{feature} ({count})" for feature, count in outside.items()))
    # A pattern is needless if no case with a divergence matches it, and this version of the suite has a matching case.
    for direction, pattern in sorted(listing.unused):
        if any(matches(one.id, pattern) for one in cases):
            print(f"needlessly listed: {name}: {direction}: {pattern}")
            row["unexplained"] += 1
    return row


def main():
    options = arguments()
    rows = []
    for name, suite in SUITES.items():
        if options.only not in (None, name):
            continue
        folder = options.folder / name
        if not folder.is_dir():
            print(f"suites: skipped: no {folder}")
            continue
        items = suite.cases(folder)
        if options.write:
            options.write.mkdir(parents=True, exist_ok=True)
            cases = [one.fields for one in items if not isinstance(one, Outside)]
            content = json.dumps({"version": 1, "testcases": cases}, indent=1)
            (options.write / f"{name}.json").write_text(content, encoding="utf-8")
            continue
        rows.append(judged(name, items, options))
    if rows:
        print()
    for row in [HEAD, *rows] if rows else []:
        print(f"{row['suite']:<14}" + "".join(f"{row[column]:>{len(title) + 2}}" for column, title in HEAD.items() if column != "suite"))
    return 1 if any(row["unexplained"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
