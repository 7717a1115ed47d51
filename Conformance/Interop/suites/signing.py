# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""ECDSA with P-256 (FIPS 186-5 section 6.4), for suites that make their certificates in the test; the keys are not secret."""

import hashlib
from functools import lru_cache

# The module makes those of the differential tests importable.
import cases  # noqa: F401
from der import BITS, identifier, integer, sequence, tlv

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
BASE = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)
ECDSA_SHA256 = sequence(identifier("1.2.840.10045.4.3.2"))


def _sum(one, other):
    if one is None or other is None:
        return one or other
    if one[0] == other[0]:
        if (one[1] + other[1]) % P == 0:
            return None
        slope = (3 * one[0] * one[0] - 3) * pow(2 * one[1], -1, P)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, P)
    x = (slope * slope - one[0] - other[0]) % P
    return x, (slope * (one[0] - x) - one[1]) % P


@lru_cache(maxsize=1)
def _powers():
    """The base point multiplied by the powers of two."""
    powers = [BASE]
    for _ in range(255):
        powers.append(_sum(powers[-1], powers[-1]))
    return powers


def _multiple(number):
    point = None
    for place, power in enumerate(_powers()):
        if number >> place & 1:
            point = _sum(point, power)
    return point


def _number(*parts):
    return int.from_bytes(hashlib.sha256(b"\0".join(parts)).digest(), "big") % (ORDER - 1) + 1


@lru_cache(maxsize=1024)
def public_key(name):
    """The SubjectPublicKeyInfo of the key that is derived from a name."""
    x, y = _multiple(_number(name.encode()))
    algorithm = sequence(identifier("1.2.840.10045.2.1"), identifier("1.2.840.10045.3.1.7"))
    return sequence(algorithm, tlv(BITS, b"\0\4", x.to_bytes(32, "big"), y.to_bytes(32, "big")))


def signed(part, name):
    """A certificate of a signed part."""
    private, digest = _number(name.encode()), hashlib.sha256(part).digest()
    nonce = _number(b"nonce", private.to_bytes(32, "big"), digest)
    r = _multiple(nonce)[0] % ORDER
    s = pow(nonce, -1, ORDER) * (int.from_bytes(digest, "big") + r * private) % ORDER
    return sequence(part, ECDSA_SHA256, tlv(BITS, b"\0", sequence(integer(r), integer(s))))
