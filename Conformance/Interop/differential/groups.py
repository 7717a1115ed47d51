# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Disagreements, and the explanations by which they are grouped."""

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

EXPLANATIONS = Path(__file__).resolve().parent / "explanations.yaml"


@dataclass(frozen=True)
class Disagreement:
    """Two judges, their verdicts, and a minimal set of mutations with which they disagree in the same direction."""

    ours: str
    peer: str
    our_reason: str
    peer_reason: str
    # The sorted mutations; empty if the verdicts on the original chain already differ, whose name is then `origin`.
    mutations: tuple
    origin: str = ""

    @property
    def direction(self):
        return "we accept" if self.our_reason == "ok" else "we refuse"

    @property
    def reason(self):
        return self.peer_reason if self.our_reason == "ok" else self.our_reason


def duel(verdict, ours, peer):
    """Returns both verdicts if the two disagree; `None` if they agree or one has no verdict."""
    mine, theirs = verdict[ours], verdict[peer]
    if "-" in (mine, theirs) or (mine == "ok") == (theirs == "ok"):
        return None
    return mine, theirs


@dataclass
class Explanation:
    """A cause of disagreements, and which side departs from the standard."""

    id: str
    peers: list
    direction: str
    # The patterns that the reason of the refusal and each mutation must match completely; `None` matches all.
    reason: str | None
    mutations: str | None
    title: str
    # The side that departs from the standard: `peer`, `ours` or `neither`.
    departs: str
    section: str
    text: str
    is_finding: bool

    def explains(self, one):
        if one.peer not in self.peers or one.direction != self.direction:
            return False
        if self.reason and not re.fullmatch(self.reason, one.reason):
            return False
        if self.mutations is None:
            return True
        kinds = one.mutations or (f"origin {one.origin}",)
        # Without a specific reason, all mutations must match.
        quantifier = all if self.reason in (None, ".*") else any
        return quantifier(re.fullmatch(self.mutations, kind) for kind in kinds)


def explanations(path=EXPLANATIONS):
    with open(path, encoding="utf-8") as file:
        entries = yaml.safe_load(file) or []
    return [
        Explanation(
            id=entry["id"], peers=entry["peers"], direction=entry["direction"], reason=entry.get("reason"),
            mutations=entry.get("mutations"), title=entry["title"], departs=entry["departs"], section=entry["section"],
            text=entry["text"], is_finding=entry.get("finding", False))
        for entry in entries
    ]
