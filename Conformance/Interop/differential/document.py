# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Generates docs/reports/differences.md from the explanations and the last published run."""

import json
import re
import sys
import textwrap
from pathlib import Path

from groups import explanations

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parents[2] / "docs/reports/differences.md"
DEPARTS = {"peer": "the peer departs", "ours": "we depart", "neither": "the standard leaves it open"}

HEAD = """# Differences from the verdicts of other implementations

`scripts/interop/differential --document` generates this page from
[explanations.yaml](../../Conformance/Interop/differential/explanations.yaml); do not edit it.

`make differential SECONDS=60` generates certificate chains, validates them with our evaluator and five other implementations, and groups
the disagreements by their cause. It fails if a disagreement has no explanation on this page. The original chains come from the recipes of
the tests, from x509-limbo, from PKITS, and from chains of real servers with replaced keys. One to three structured mutations change each
chain, and each certificate is signed again. A disagreement is reduced to a minimal set of mutations before it is grouped.

Each peer is compared with our rules of the same purpose: OpenSSL, GnuTLS, Go and certvalidator with our rules for private anchors, OpenSSL
with X509_V_FLAG_X509_STRICT with our RFC 5280 rules, and pyca with our Web rules.
"""
WIDTH = 140


def document():
    run = json.loads((HERE / "published.json").read_text(encoding="utf-8"))
    known = explanations()
    names = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    lines = [HEAD, "## Results", ""]
    lines += [paragraph(
        f"The run had {run['chains']} chains with the seed `{run['seed']}`. We accepted {run['accepted']} of them under a private anchor, and "
        f"disagreed about {run['disputed']} with at least one peer. {run['unexplained']} disagreements have no explanation. certvalidator, "
        f"which is slow, validated one of {run['sample']} chains, and pyca no chains without a host. Versions: {names}."), ""]
    lines += ["| implementation | accepted | refused | not validated |", "|---|---|---|---|"]
    for name, counts in run["verdicts"].items():
        lines.append(f"| {name} | " + " | ".join(str(counts.get(kind, 0)) for kind in ("accepted", "refused", "not judged")) + " |")
    lines += ["", "The last column states which side departs from the standard, or that the standard leaves the case open.", ""]
    lines += ["| disagreements | cause | we | departs |", "|---|---|---|---|"]
    for entry in known:
        we = "accept" if entry.direction == "we accept" else "refuse"
        departs = {"peer": "peer", "ours": "we", "neither": "open"}[entry.departs]
        lines.append(f"| {run['counts'].get(entry.id, 0)} | [{entry.title}](#{anchor(entry.title)}) | {we} | {departs} |")
    lines += ["", "## Causes", ""]
    for entry in known:
        lines += section(entry, run)
    return "\n".join(lines)


def paragraph(text):
    """The text in lines of at most `WIDTH` columns."""
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def anchor(title):
    """Returns the anchor of a Markdown heading."""
    return re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-")


def section(entry, run):
    who = ", ".join(entry.peers)
    verdict = "We accept, a peer refuses" if entry.direction == "we accept" else "We refuse, a peer accepts"
    lines = [f"### {entry.title[0].upper()}{entry.title[1:]}", ""]
    lines += [paragraph(f"{verdict} ({who}). {entry.section}; {DEPARTS[entry.departs]}."), "", paragraph(entry.text), ""]
    replay = run["replays"].get(entry.id)
    if replay:
        side = replay["peer"] if entry.direction == "we accept" else "ours"
        lines += [paragraph(
            f"Example: `{replay['kinds']}`, with the reason \"{replay['reason']}\" from the refusing side ({side}): "
            f"`scripts/interop/differential --seed {run['seed']} --replay {replay['number']}`."), ""]
    if entry.is_finding and (HERE / f"findings/{entry.id}.json").exists():
        link = f"[{entry.id}.json](../../Conformance/Interop/differential/findings/{entry.id}.json)"
        lines += [paragraph(f"The smallest chain for a report, with every verdict, in x509-limbo's schema: {link}."), ""]
    return lines


def main():
    made = document()
    if "--check" not in sys.argv[1:]:
        DOCUMENT.write_text(made, encoding="utf-8")
        return 0
    if DOCUMENT.read_text(encoding="utf-8") == made:
        return 0
    print("differential: docs/reports/differences.md is out of date; run scripts/interop/differential --document", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
