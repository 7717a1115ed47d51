# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""The results of a run: counts, and the groups of disagreements by their explanation."""

import json
from collections import Counter, defaultdict
from dataclasses import asdict

from groups import Disagreement


class Tally:
    """Counts of verdicts and disagreements; equal disagreements are one group."""

    def __init__(self):
        self.chains = self.accepted = self.disputed = 0
        self.verdicts = defaultdict(Counter)
        # The count of each group, and the number of its first chain.
        self.groups = {}

    def add(self, verdicts, found):
        first = self.chains
        self.chains += len(verdicts)
        self.disputed += len({case for case, _ in found})
        for verdict in verdicts:
            self.accepted += verdict["ours"] == "ok"
            for name, said in verdict.items():
                self.verdicts[name]["accepted" if said == "ok" else "not judged" if said == "-" else "refused"] += 1
        for case, one in found:
            count, place = self.groups.get(one, (0, first + case))
            self.groups[one] = (count + 1, place)

    def explained(self, known):
        """The groups of each explanation, and those without one."""
        explained, unexplained = defaultdict(list), []
        for one, (count, place) in self.groups.items():
            explanation = next((entry for entry in known if entry.explains(one)), None)
            if explanation:
                explained[explanation.id].append((one, count, place))
            else:
                unexplained.append((one, count, place))
        return explained, sorted(unexplained, key=lambda entry: -entry[1])

    def print(self, known):
        """Prints the table; returns whether every disagreement is explained."""
        explained, unexplained = self.explained(known)
        print(f"\n{self.chains} chains, {self.accepted} accepted by us, {self.disputed} with a disagreement")
        for name, counts in self.verdicts.items():
            print(f"  {name:<18} " + ", ".join(f"{counts[kind]} {kind}" for kind in ("accepted", "refused", "not judged")))
        print("\n  count  explanation")
        for entry in known:
            print(f"{sum(count for _, count, _ in explained[entry.id]):7}  {entry.id}: {entry.title}")
        if not unexplained:
            print("\nno disagreement is unexplained")
            return True
        print(f"\n{len(unexplained)} unexplained groups, {sum(count for _, count, _ in unexplained)} disagreements")
        for one, count, place in unexplained:
            kinds = " + ".join(one.mutations) or f"origin {one.origin}"
            print(f"{count:6}  {one.ours}: {one.our_reason} | {one.peer}: {one.peer_reason} | {kinds} | {place}")
        return False

    def write(self, path, **about):
        groups = [{**asdict(one), "count": count, "first": place} for one, (count, place) in self.groups.items()]
        path.write_text(json.dumps({
            **about, "chains": self.chains, "accepted": self.accepted, "disputed": self.disputed,
            "verdicts": self.verdicts, "groups": groups}), encoding="utf-8")

    @classmethod
    def read(cls, path):
        """A stored tally, with the stored data about its run."""
        content = json.loads(path.read_text(encoding="utf-8"))
        tally = cls()
        tally.chains, tally.accepted, tally.disputed = (content.pop(key) for key in ("chains", "accepted", "disputed"))
        for name, counts in content.pop("verdicts").items():
            tally.verdicts[name] = Counter(counts)
        for group in content.pop("groups"):
            count, place = group.pop("count"), group.pop("first")
            tally.groups[Disagreement(**{**group, "mutations": tuple(group["mutations"])})] = (count, place)
        return tally, content
