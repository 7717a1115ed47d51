# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""GnuTLS's tests/chainverify.c, with the table and the chains of tests/test-chains.h."""

import re

from cases import BOTH_WEAKNESSES, Outside, case, certificates, common_time, numbered

# tests/chainverify.c.
DEFAULT_TIME = 1256803113
ENTRY = re.compile(
    r'\{\s*"([^"]+)",\s*(&?\w+(?:\[\d+\])?),\s*(&?\w+(?:\[\d+\])?),\s*([^,]*?),\s*([^,]*?),\s*(\w+)\s*'
    r"(?:,\s*(\d+))?\s*(?:,\s*\d+)?\s*\}", re.DOTALL)
OUTSIDE = {
    "IGNORE_UNKNOWN_CRIT_EXTENSIONS": "ignoring unknown critical extensions",
    "DO_NOT_ALLOW_SAME": "a refusal of anchors that are leaves", "DO_NOT_ALLOW_X509_V1_CA_CRT": "a refusal of version 1 anchors",
    "PROFILE_HIGH": "keys of 128 bits of strength", "PROFILE_ULTRA": "keys of 192 bits of strength",
    "PROFILE_SUITEB192": "keys of 192 bits of strength"}


def cases(folder):
    source = (folder / "tests/test-chains.h").read_text(encoding="utf-8")
    arrays = _arrays(source)
    table = source[source.index("} chains[] = {") :]
    return numbered([_case(arrays, *match.groups()) for match in ENTRY.finditer(table)])


def _case(arrays, title, chain, anchor, flags, expected, purpose, moment):
    id = f"gnutls::{title}"
    is_valid = expected == "0"
    outside = next((feature for flag, feature in OUTSIDE.items() if flag in flags), None)
    # A profile above ours matters only if it causes the refusal.
    if outside and not (is_valid and "PROFILE" in flags and "DO_NOT" not in flags and "IGNORE" not in flags):
        return Outside(id, outside)
    if title.startswith("gost"):
        return Outside(id, "GOST signatures")
    chain, anchors = _elements(arrays, chain), _elements(arrays, anchor)[:1]
    # A chain ends at the first NULL, after which some arrays have the anchor.
    chain = chain[: chain.index(None)] if None in chain else chain
    moment = int(moment or DEFAULT_TIME)
    if "DISABLE_TIME_CHECKS" in flags:
        moment = common_time(chain + anchors)
        if moment is None:
            return Outside(id, "the validation without a time")
    # Without a profile it accepts keys of any size.
    weaknesses = [] if re.search(r"PROFILE_(MEDIUM|HIGH|ULTRA)", flags) else ["rsa-1024"]
    if re.search("ALLOW_BROKEN|PROFILE_LOW|SIGN_WITH_SHA1", flags):
        weaknesses = BOTH_WEAKNESSES
    usages = ["OCSPSigning"] if purpose.endswith("OCSP_SIGNING") else []
    return case(
        id, chain[0], chain[1:], anchors, is_valid, moment=moment, usages=usages,
        purpose="server" if purpose.endswith("WWW_SERVER") else "any", weaknesses=weaknesses)


def _arrays(source):
    """The certificates of each array, and of each single string, by its name; NULL is `None`."""
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
    found = {}
    for is_array, name, body in re.findall(r"static const char (\*?) ?(\w+)\[\w*\] = (.*?);\n", source, re.DOTALL):
        if not is_array:
            found[name] = [_text(body)]
            continue
        found[name] = []
        for part in _parts(body):
            if part.startswith('"'):
                found[name].append(_text(part))
            elif part == "NULL":
                found[name].append(None)
            elif part in found:
                found[name] += found[part]
    return {name: [text and certificates(text)[0] for text in texts] for name, texts in found.items()}


def _parts(body):
    """The elements of an initializer; each is a name or adjacent strings."""
    parts = re.findall(r'((?:"(?:[^"\\]|\\.)*"\s*)+|\w+)\s*(?:,|\})', body)
    return [part.strip() for part in parts]


def _text(strings):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', strings)).replace("\\n", "\n")


def _elements(arrays, expression):
    name, start = re.fullmatch(r"&?(\w+)(?:\[(\d+)\])?", expression).groups()
    return arrays[name][int(start or 0) :]
