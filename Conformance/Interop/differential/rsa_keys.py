# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""RSA keys and signatures that are derived from names, so that a chain is the same in every run (RFC 8017)."""

import hashlib
import random
from functools import lru_cache

from der import BITS, NULL, OCTETS, explicit, identifier, integer, sequence, tlv

RSA, PSS, MGF1 = map(identifier, ("1.2.840.113549.1.1.1", "1.2.840.113549.1.1.10", "1.2.840.113549.1.1.8"))
HASHES = {
    "sha1": "1.3.14.3.2.26", "sha224": "2.16.840.1.101.3.4.2.4", "sha256": "2.16.840.1.101.3.4.2.1",
    "sha384": "2.16.840.1.101.3.4.2.2", "sha512": "2.16.840.1.101.3.4.2.3"}
PKCS1 = {
    "sha1": "1.2.840.113549.1.1.5", "sha256": "1.2.840.113549.1.1.11", "sha384": "1.2.840.113549.1.1.12",
    "sha512": "1.2.840.113549.1.1.13"}
BITS_OF_KEY = 2048
# Key generation takes a second, so that the names share these keys.
DISTINCT_KEYS = 4


def algorithm(number):
    return sequence(identifier(number), tlv(NULL))


def pss_parameters(hash, mask_hash=None, salt=None, *more):
    """The parameters of RFC 4055 section 3.1, without the default values."""
    mask_hash = mask_hash or hash
    salt = hashlib.new(hash).digest_size if salt is None else salt
    parts = []
    if hash != "sha1":
        parts.append(explicit(0, algorithm(HASHES[hash])))
    if mask_hash != "sha1":
        parts.append(explicit(1, sequence(MGF1, algorithm(HASHES[mask_hash]))))
    if salt != 20:
        parts.append(explicit(2, integer(salt)))
    return sequence(*parts, *more)


def explicit_defaults():
    """The parameters of SHA-1 with every default encoded, which DER forbids and RFC 4055 lets a reader accept."""
    return sequence(
        explicit(0, algorithm(HASHES["sha1"])), explicit(1, sequence(MGF1, algorithm(HASHES["sha1"]))), explicit(2, integer(20)),
        explicit(3, integer(1)))


# The parts of a PSS algorithm: its parameters, and the hash, the hash of the mask and the salt's length with which it is made.
SIGNATURES = {
    "sha256": (pss_parameters("sha256"), ("sha256", "sha256", 32)), "sha384": (pss_parameters("sha384"), ("sha384", "sha384", 48)),
    "sha512": (pss_parameters("sha512"), ("sha512", "sha512", 64)), "sha224": (pss_parameters("sha224"), ("sha224", "sha224", 28)),
    "defaults": (sequence(), ("sha1", "sha1", 20)), "explicit-defaults": (explicit_defaults(), ("sha1", "sha1", 20)),
    "mask-sha1": (pss_parameters("sha256", "sha1"), ("sha256", "sha1", 32)),
    "mask-sha512": (pss_parameters("sha256", "sha512"), ("sha256", "sha512", 32)),
    "salt-0": (pss_parameters("sha256", salt=0), ("sha256", "sha256", 0)),
    "salt-20": (pss_parameters("sha256", salt=20), ("sha256", "sha256", 20)),
    "salt-64": (pss_parameters("sha256", salt=64), ("sha256", "sha256", 64)),
    "salt-max": (pss_parameters("sha256", salt=222), ("sha256", "sha256", 222)),
    "salt-too-long": (pss_parameters("sha256", salt=223), ("sha256", "sha256", 32)),
    "salt-other": (pss_parameters("sha256", salt=33), ("sha256", "sha256", 32)),
    "salt-negative": (pss_parameters("sha256", salt=-1), ("sha256", "sha256", 32)),
    "trailer-2": (pss_parameters("sha256", None, None, explicit(3, integer(2))), ("sha256", "sha256", 32)),
    "trailer-1": (pss_parameters("sha256", None, None, explicit(3, integer(1))), ("sha256", "sha256", 32)),
    "null": (tlv(NULL), ("sha256", "sha256", 32)), "none": (b"", ("sha256", "sha256", 32)),
    "other-hash": (pss_parameters("sha384"), ("sha256", "sha256", 32)),
}
PSS_ALGORITHMS = {kind: sequence(PSS, parameters) for kind, (parameters, _) in SIGNATURES.items()}
PKCS1_ALGORITHMS = {hash: algorithm(number) for hash, number in PKCS1.items()}
_BY_ENCODING = {
    **{PSS_ALGORITHMS[kind]: recipe for kind, (_, recipe) in SIGNATURES.items()},
    **{encoded: (hash, None, None) for hash, encoded in PKCS1_ALGORITHMS.items()}}

# The algorithm of a public key by the first part of the key's name.
KINDS = {
    "rsa": sequence(RSA, tlv(NULL)), "pss": sequence(PSS), "pss-sha256": sequence(PSS, pss_parameters("sha256")),
    "pss-sha384": sequence(PSS, pss_parameters("sha384")), "pss-salt-20": sequence(PSS, pss_parameters("sha256", salt=20)),
    "pss-defaults": sequence(PSS, sequence()), "pss-null": sequence(PSS, tlv(NULL))}


def _is_prime(number, dice):
    if any(number % small == 0 for small in (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)):
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(8):
        power = pow(dice.randrange(2, number - 1), odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


@lru_cache(maxsize=DISTINCT_KEYS)
def _numbers(place):
    """The modulus and the private exponent."""
    dice, primes = random.Random(f"rsa:{place}"), []
    while len(primes) < 2:
        candidate = dice.getrandbits(BITS_OF_KEY // 2) | 3 << BITS_OF_KEY // 2 - 2 | 1
        if candidate % 65537 != 1 and _is_prime(candidate, dice):
            primes.append(candidate)
    first, second = primes
    return first * second, pow(65537, -1, (first - 1) * (second - 1))


class Key:
    """A private key with the exponent 65537."""

    def __init__(self, name):
        self.kind, _, own = name.partition(":")
        self.modulus, self.exponent = _numbers(hashlib.sha256(own.encode()).digest()[0] % DISTINCT_KEYS)

    def public_key(self):
        """The SubjectPublicKeyInfo."""
        numbers = sequence(integer(self.modulus), integer(65537))
        return sequence(KINDS[self.kind], tlv(BITS, b"\0", numbers))

    def sign(self, part, algorithm):
        """A signature with the given algorithm, by default PKCS #1 v1.5 with SHA-256."""
        hash, mask_hash, salt = _BY_ENCODING.get(algorithm, ("sha256", None, None))
        digest = hashlib.new(hash, part).digest()
        encoded = _pkcs1(hash, digest) if mask_hash is None else _pss(hash, mask_hash, salt, digest)
        return pow(int.from_bytes(encoded, "big"), self.exponent, self.modulus).to_bytes(BITS_OF_KEY // 8, "big")


def _pkcs1(hash, digest):
    info = sequence(algorithm(HASHES[hash]), tlv(OCTETS, digest))
    return b"\0\1" + b"\xff" * (BITS_OF_KEY // 8 - len(info) - 3) + b"\0" + info


def _pss(hash, mask_hash, salt, digest):
    """EMSA-PSS (section 9.1.1), with a salt that is derived from the message."""
    salt = (digest * 8)[:salt]
    proof = hashlib.new(hash, bytes(8) + digest + salt).digest()
    count = BITS_OF_KEY // 8 - len(proof) - 1
    block = bytes(count - len(salt) - 1) + b"\1" + salt
    # 20 octets is the length of the shortest hash.
    mask = b"".join(hashlib.new(mask_hash, proof + place.to_bytes(4, "big")).digest() for place in range(count // 20 + 1))
    masked = bytes(one ^ other for one, other in zip(block, mask))
    return bytes([masked[0] & 0x7F]) + masked[1:] + proof + b"\xbc"
