# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Disagreements, and the explanations that they are grouped by."""

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

EXPLANATIONS = Path(__file__).resolve().parent / "explanations.yaml"


@dataclass(frozen=True)
class Disagreement:
    """Two judges, what they said, and the fewest mutations with which they still disagree in the same direction."""

    ours: str
    peer: str
    our_reason: str
    peer_reason: str
    # Sorted. Empty where the chain that was started from is judged differently already; then its name stands in `origin`.
    mutations: tuple
    origin: str = ""

    @property
    def direction(self):
        return "we accept" if self.our_reason == "ok" else "we refuse"

    @property
    def reason(self):
        return self.peer_reason if self.our_reason == "ok" else self.our_reason


def duel(verdict, ours, peer):
    """Whether the two disagree: `None` where they do not, or one does not judge."""
    mine, theirs = verdict[ours], verdict[peer]
    if "-" in (mine, theirs) or (mine == "ok") == (theirs == "ok"):
        return None
    return mine, theirs


@dataclass
class Explanation:
    """Which disagreements have one cause, and who is right."""

    id: str
    peers: list
    direction: str
    # Patterns that the reason of the refusal and each mutation have to match as a whole; `None` matches all.
    reason: str | None
    mutations: str | None
    title: str
    # Who departs from the standard: `peer`, `ours`, `neither`.
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
        # Where the reason says nothing, no mutation may be of another kind.
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
