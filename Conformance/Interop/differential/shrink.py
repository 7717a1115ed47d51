# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Finds a minimal set of mutations, and then a minimal chain, about which two judges disagree."""

import itertools

from groups import Disagreement, duel
from mutations import mutated


def disagreements(bench, bases, base_verdicts, drawn, verdicts):
    """Every disagreement about the drawn chains, with a minimal set of mutations.

    `drawn` contains the number of the base, the seed, the chain and the number of its mutations.
    """
    found = []
    for ours, peer in bench.DUELS:
        open_cases = {}
        for case, ((base, _, chain, count), verdict) in enumerate(zip(drawn, verdicts)):
            said = duel(verdict, ours, peer)
            if said is None:
                continue
            before = duel(base_verdicts[base], ours, peer)
            if before and (before[0] == "ok") == (said[0] == "ok"):
                found.append((case, Disagreement(ours, peer, *before, (), chain.origin)))
            elif count == 1:
                found.append((case, Disagreement(ours, peer, *said, tuple(chain.mutations))))
            else:
                open_cases[case] = said
        found += _with_fewer(bench, ours, peer, bases, drawn, open_cases)
    return found


def _with_fewer(bench, ours, peer, bases, drawn, open_cases):
    """Tries single mutations first, then pairs."""
    found = []
    for size in (1, 2):
        trials = []
        for case in open_cases:
            base, seed, _, count = drawn[case]
            if size < count:
                for wanted in itertools.combinations(range(count), size):
                    trials.append((case, mutated(bases[base], seed, wanted)[0]))
        verdicts = bench.verdicts([chain for _, chain in trials], [ours, peer]) if trials else []
        for (case, chain), verdict in zip(trials, verdicts):
            now = duel(verdict, ours, peer)
            if case in open_cases and now and (now[0] == "ok") == (open_cases[case][0] == "ok"):
                found.append((case, Disagreement(ours, peer, *now, tuple(sorted(chain.mutations)))))
                del open_cases[case]
    for case, said in open_cases.items():
        found.append((case, Disagreement(ours, peer, *said, tuple(sorted(drawn[case][2].mutations)))))
    return found


# The judges that require no extensions beyond those of path validation.
LENIENT = ("openssl", "gnutls", "go")


def smallest(bench, chain, disagreement):
    """The chain without the certificates and extensions on which the two judges' reasons, and other judges' acceptance, do not depend."""
    ours, peer = disagreement.ours, disagreement.peer
    names = list(dict.fromkeys((ours, peer, *LENIENT)))
    before = bench.verdicts([chain], names)[0]
    said, accepting = duel(before, ours, peer), {name for name in LENIENT if before[name] == "ok"}
    again = said is not None
    while again:
        again = False
        trials = list(_smaller(chain))
        verdicts = bench.verdicts(trials, names) if trials else []
        for trial, verdict in zip(trials, verdicts):
            if duel(verdict, ours, peer) == said and all(verdict[name] == "ok" for name in accepting):
                chain, again = trial, True
                break
    return chain


def _smaller(chain):
    for group in ("issuers", "anchors"):
        for place in range(len(getattr(chain, group))):
            if group == "anchors" and len(chain.anchors) == 1:
                continue
            copy = chain.copy()
            del getattr(copy, group)[place]
            yield copy
    for number, one in enumerate(chain.certificates):
        for place in range(len(one.extensions or [])):
            copy = chain.copy()
            extensions = copy.certificates[number].extensions
            del extensions[place]
            if not extensions:
                copy.certificates[number].extensions = None
            yield copy
