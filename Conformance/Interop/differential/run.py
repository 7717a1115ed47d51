# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Generates chains, validates them, groups the disagreements by their explanation, and fails if one has none."""

import argparse
import itertools
import json
import random
import sys
import time
from pathlib import Path

from groups import explanations
from judges import Bench
from mutations import mutated
from recipes import corpus, recipes
from shrink import disagreements, smallest
from tally import Tally

BATCH = 400


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--harness", required=True, type=Path, help="LimboHarness")
    parser.add_argument("--tools", required=True, type=Path, help="the folder of the other judges")
    parser.add_argument("--versions", required=True, type=json.loads, help="the versions of the other judges, as JSON")
    parser.add_argument("--corpora", type=Path, help="the folder of x509-limbo and PKITS")
    parser.add_argument("--seed", default="1", help="a word; the same one makes the same chains")
    parser.add_argument("--seconds", type=float, help="how long to go on")
    parser.add_argument("--count", type=int, help="how many chains to judge")
    parser.add_argument("--replay", type=int, metavar="NUMBER", help="judge that chain of the seed only, and print it")
    parser.add_argument("--sample", type=int, default=4, help="certvalidator is slow, and judges one chain of so many")
    parser.add_argument("--results", type=Path, help="where to write the groups of disagreements")
    parser.add_argument("--read", type=Path, help="explain the groups of such a file instead of judging")
    parser.add_argument("--publish", action="store_true", help="with --read, write what docs/reports/differences.md is made of")
    return parser.parse_args()


class Sources:
    """The original chains, drawn so that all sources have a similar share."""

    def __init__(self, corpora):
        self.groups = [(4, recipes())]
        for share, name in ((4, "x509-limbo/limbo.json"), (2, "pkits/pkits.json")):
            path = corpora / name if corpora else None
            if path and path.exists():
                chains = corpus(path)
                real = [chain for chain in chains if chain.origin.startswith("online::")]
                self.groups.append((share, [chain for chain in chains if chain not in real]))
                if real:
                    self.groups.append((2, real))
            else:
                print(f"differential: without {name}; set CORPORA to the folder of it")
        self.chains = [chain for _, group in self.groups for chain in group]

    def draw(self, seed):
        dice = random.Random(f"{seed}:base")
        (share, group), = dice.choices(self.groups, [share for share, _ in self.groups])
        start = next(place for place, chain in enumerate(self.chains) if chain is group[0])
        return start + dice.randrange(len(group))


def drawn(sources, seed, number):
    base = sources.draw(f"{seed}:{number}")
    chain, count = mutated(sources.chains[base], f"{seed}:{number}")
    return base, f"{seed}:{number}", chain, count


def replay(bench, sources, options, known):
    """Prints a chain with all its verdicts."""
    one = drawn(sources, options.seed, options.replay)
    bases = bench.verdicts(sources.chains)
    verdict = bench.verdicts([one[2]])[0]
    print(json.dumps(one[2].limbo(f"differential::{options.seed}:{options.replay}"), indent=2))
    print(f"origin: {one[2].origin}; mutations: {', '.join(one[2].mutations)}")
    for name, said in verdict.items():
        print(f"  {name:<18} {said:<60} (before the mutations: {bases[one[0]][name]})")
    for _, found in disagreements(bench, sources.chains, bases, [one], [verdict]):
        explanation = next((entry.id for entry in known if entry.explains(found)), "UNEXPLAINED")
        print(f"{found.ours} and {found.peer} disagree by {' + '.join(found.mutations) or found.origin}: {explanation}")


def chain_of(sources, seed, place, found):
    """The chain of a group, with a minimal set of mutations for the disagreement."""
    base, own, chain, count = drawn(sources, seed, place)
    if not found.mutations:
        return sources.chains[base].copy()
    for size in range(1, count):
        for wanted in itertools.combinations(range(count), size):
            trial = mutated(sources.chains[base], own, wanted)[0]
            if tuple(sorted(trial.mutations)) == found.mutations:
                return trial
    return chain


def _rank(group):
    """The sort key of examples: first those not about an anchor, which the standard leaves open, with few mutations, and frequent."""
    one, count, _ = group
    return any(kind.endswith("@anchor") for kind in one.mutations), len(one.mutations) or 9, -count


def publish(folder, bench, sources, tally, known, about):
    """Writes the data of docs/reports/differences.md: the counts, and the smallest chain of each finding in x509-limbo's schema."""
    (explained, unexplained), counts, replays = tally.explained(known), {}, {}
    for entry in known:
        groups = explained[entry.id]
        counts[entry.id] = sum(count for _, count, _ in groups)
        for one, _, place in sorted(groups, key=_rank)[:1]:
            kinds = " + ".join(one.mutations) or f"as {one.origin}"
            replays[entry.id] = {"number": place, "kinds": kinds, "peer": one.peer, "reason": one.reason}
            if entry.is_finding:
                chain = smallest(bench, chain_of(sources, about["seed"], place, one), one)
                content = {"verdicts": bench.verdicts([chain])[0], "case": chain.limbo(f"differential::{entry.id}")}
                (folder / "findings").mkdir(exist_ok=True)
                (folder / f"findings/{entry.id}.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    content = {
        **about, "chains": tally.chains, "accepted": tally.accepted, "disputed": tally.disputed, "verdicts": tally.verdicts,
        "unexplained": sum(count for _, count, _ in unexplained), "counts": counts, "replays": replays}
    (folder / "published.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def main():
    options = arguments()
    known = explanations()
    sources = Sources(options.corpora)
    bench = Bench(options.harness, options.tools, options.versions, options.sample)
    print("judges: " + ", ".join(f"{judge.name} ({judge.version})" for judge in bench.judges.values()))
    print(f"seed {options.seed}; replay a chain with --seed {options.seed} --replay NUMBER; {len(sources.chains)} chains to start from")
    try:
        if options.replay is not None:
            return replay(bench, sources, options, known)
        if options.read:
            tally, about = Tally.read(options.read)
            if options.publish:
                publish(Path(__file__).resolve().parent, bench, sources, tally, known, about)
            return 0 if tally.print(known) else 1
        return 0 if judged(bench, sources, options).print(known) else 1
    finally:
        bench.stop()


def judged(bench, sources, options):
    tally, start = Tally(), time.monotonic()
    bases = bench.verdicts(sources.chains)
    versions = {name: judge.version for name, judge in bench.judges.items()}
    while not is_done(options, tally.chains, time.monotonic() - start):
        size = min(BATCH, (options.count or tally.chains + BATCH) - tally.chains)
        batch = [drawn(sources, options.seed, tally.chains + number) for number in range(size)]
        verdicts = bench.verdicts([chain for _, _, chain, _ in batch], sampled=True)
        tally.add(verdicts, disagreements(bench, sources.chains, bases, batch, verdicts))
        if options.results:
            tally.write(options.results, seed=options.seed, sample=options.sample, versions=versions)
    seconds = time.monotonic() - start
    print(f"{seconds:.0f} s, {tally.chains / seconds:.0f} chains a second")
    return tally


def is_done(options, chains, seconds):
    if options.count is not None:
        return chains >= options.count
    return seconds >= (options.seconds or 60)


if __name__ == "__main__":
    sys.exit(main())
