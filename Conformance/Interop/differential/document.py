# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Makes docs/reports/differences.md of the explanations and of the run that was published last."""

import json
import re
import sys
from pathlib import Path

from groups import explanations

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parents[2] / "docs/reports/differences.md"
DEPARTS = {"peer": "the peer departs", "ours": "we depart", "neither": "the standard leaves it open"}

HEAD = """# Where our verdicts differ from those of others

Made by `scripts/interop/differential --document` from [explanations.yaml](../../Conformance/Interop/differential/explanations.yaml); do not edit.

`make differential SECONDS=60` generates chains, has them judged by us and by five other implementations, and groups the disagreements
by their cause. It fails where a disagreement has no explanation below. Chains start from the recipes of the tests, from x509-limbo, from
PKITS and from real servers' chains with keys of ours, and are changed by one to three structured mutations, after which each
certificate is signed again. A disagreement is reduced to the fewest mutations that it needs before it is grouped.

Each peer is compared with the rules that are meant for the same thing: OpenSSL, GnuTLS, Go and certvalidator with ours under a private
anchor, OpenSSL with X509_V_FLAG_X509_STRICT with our rules of RFC 5280, pyca with our rules of the Web.
"""


def document():
    run = json.loads((HERE / "published.json").read_text(encoding="utf-8"))
    known = explanations()
    names = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    lines = [HEAD, "## The run", ""]
    lines += [
        f"{run['chains']} chains with the seed `{run['seed']}`, {run['accepted']} accepted by us under a private anchor; "
        f"{run['disputed']} had a disagreement with at least one peer. Disagreements without an explanation: {run['unexplained']}. certvalidator, which is slow, judged one "
        f"chain of {run['sample']}, and pyca none of those without a host. Versions: {names}.", ""]
    lines += ["| judge | accepted | refused | not judged |", "|---|---|---|---|"]
    for name, counts in run["verdicts"].items():
        lines.append(f"| {name} | " + " | ".join(str(counts.get(kind, 0)) for kind in ("accepted", "refused", "not judged")) + " |")
    lines += ["", "| disagreements | cause | we | who departs |", "|---|---|---|---|"]
    for entry in known:
        we = "accept" if entry.direction == "we accept" else "refuse"
        lines.append(f"| {run['counts'].get(entry.id, 0)} | [{entry.title}](#{anchor(entry.title)}) | {we} | {DEPARTS[entry.departs]} |")
    lines += ["", "## Causes", ""]
    for entry in known:
        lines += section(entry, run)
    return "\n".join(lines)


def anchor(title):
    """The anchor that Markdown gives a heading."""
    return re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-")


def section(entry, run):
    who = ", ".join(entry.peers)
    verdict = "We accept, a peer refuses" if entry.direction == "we accept" else "We refuse, a peer accepts"
    lines = [f"### {entry.title[0].upper()}{entry.title[1:]}", ""]
    lines += [f"{verdict} ({who}). {entry.section}; {DEPARTS[entry.departs]}.", "", entry.text.strip(), ""]
    replay = run["replays"].get(entry.id)
    if replay:
        lines += [
            f"For example `{replay['kinds']}`, where the refusing side ({replay['peer'] if entry.direction == 'we accept' else 'ours'}) "
            f"says \"{replay['reason']}\": `scripts/interop/differential --seed {run['seed']} --replay {replay['number']}`.", ""]
    if entry.is_finding and (HERE / f"findings/{entry.id}.json").exists():
        lines += [
            f"The smallest chain, ready to be reported, with every verdict: [{entry.id}.json](../../Conformance/Interop/differential/findings/{entry.id}.json) "
            "(x509-limbo's schema).", ""]
    return lines


def main():
    made = document()
    if "--check" not in sys.argv[1:]:
        DOCUMENT.write_text(made, encoding="utf-8")
        return 0
    if DOCUMENT.read_text(encoding="utf-8") == made:
        return 0
    print("differential: docs/reports/differences.md is not what scripts/interop/differential --document makes", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
