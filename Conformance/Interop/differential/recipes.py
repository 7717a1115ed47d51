# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""The original chains: the recipes of the tests (Tests/Client/TrustRecipes), and chains of the corpora with our keys."""

import datetime
import hashlib
import json
import time

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from chain import ECDSA_SHA256, HASHES, Certificate, Chain
from der import (
    BITS, BOOLEAN, OCTETS, OID, PRINTABLE, SET, UTC, GENERALIZED, UTF8, Malformed, dotted, explicit, identifier, implicit,
    inside, integer, oid, sequence, tlv)

# 2026-06-01 00:00:00 UTC, the time at which the tests evaluate.
NOW = 1_780_272_000
DAY = 86400


def moment(seconds):
    """A time in the encoding of RFC 5280 section 4.1.2.5."""
    text = time.strftime("%Y%m%d%H%M%SZ", time.gmtime(seconds)).encode()
    return tlv(UTC, text[2:]) if text < b"2050" else tlv(GENERALIZED, text)


def attribute(kind, text, tag=UTF8):
    return tlv(SET, sequence(identifier(kind), tlv(tag, text.encode())))


def name(common_name, organization=None):
    parts = [attribute("2.5.4.6", "NO", PRINTABLE), attribute("2.5.4.10", organization)] if organization else []
    return sequence(*parts, attribute("2.5.4.3", common_name))


def key_identifier(key):
    return hashlib.sha256(key.encode()).digest()[:20]


def key_usage(*bits):
    """A KeyUsage with the given bits, numbered as in RFC 5280 section 4.2.1.3."""
    value = sum(0x8000 >> bit for bit in bits)
    octets = value.to_bytes(2, "big").rstrip(b"\0")
    unused = 0 if not octets else (octets[-1] & -octets[-1]).bit_length() - 1
    return tlv(BITS, bytes([unused]), octets)


def general_name(host):
    if ":" in host or host.replace(".", "").isdigit():
        import ipaddress

        return implicit(7, ipaddress.ip_address(host).packed)
    return implicit(2, host.encode())


SERVER_AUTH, CLIENT_AUTH = identifier("1.3.6.1.5.5.7.3.1"), identifier("1.3.6.1.5.5.7.3.2")
ANY_PURPOSE = identifier("2.5.29.37.0")
TRUE = tlv(BOOLEAN, b"\xff")


def certificate(subject, key, issuer, *, names=None, path_length=None, serial=None):
    """A server's certificate if there are names, otherwise an authority's; `issuer` is `None` for a root."""
    one = Certificate(
        serial=integer(serial or int.from_bytes(hashlib.sha256(subject + key.encode()).digest()[:8], "big") | 1 << 62),
        issuer=issuer.subject if issuer else subject, not_before=moment(NOW - DAY), not_after=moment(NOW + DAY),
        subject=subject, key=key, signer=issuer.key if issuer else key)
    if names is None:
        length = b"" if path_length is None else integer(path_length)
        one.set("basicConstraints", sequence(TRUE, length), critical=True)
        one.set("keyUsage", key_usage(5, 6), critical=True)
        one.set("subjectKeyIdentifier", tlv(OCTETS, key_identifier(key)))
    else:
        one.set("keyUsage", key_usage(0), critical=True)
        one.set("extKeyUsage", sequence(SERVER_AUTH))
        one.set("subjectAltName", sequence(*map(general_name, names)))
    if issuer:
        one.set("authorityKeyIdentifier", sequence(implicit(0, key_identifier(issuer.key))))
    return one


def authority(label, key, issuer, **options):
    return certificate(name(label, "Authority"), key, issuer, **options)


def server(issuer, host="a.test", *more):
    return certificate(name(host), "server", issuer, names=[host, *more])


def _single():
    root = authority("Root", "root", None)
    return Chain("single", server(root), [], [root], "a.test", NOW)


def _intermediate():
    root = authority("Root", "root", None)
    middle = authority("Intermediate", "middle", root)
    return Chain("intermediate", server(middle), [middle], [root], "a.test", NOW)


def _two_intermediates():
    root = authority("Root", "root", None)
    upper = authority("Upper", "upper", root, path_length=1)
    lower = authority("Lower", "lower", upper, path_length=0)
    return Chain("two intermediates", server(lower, "www.a.test", "*.a.test"), [lower, upper], [root], "www.a.test", NOW)


def _cross_signed():
    (old, new) = authority("Old root", "old", None), authority("New root", "new", None)
    middle = authority("Intermediate", "middle", new)
    bridge = authority("New root", "new", old)
    return Chain("cross-signed", server(middle), [middle, bridge], [old], "a.test", NOW)


def _rollover():
    root = authority("Root", "root", None)
    middle = authority("Intermediate", "middle", root, path_length=0)
    renewed = authority("Intermediate", "renewed", middle)
    return Chain("rollover", server(renewed), [renewed, middle], [root], "a.test", NOW)


def _constrained():
    root = authority("Root", "root", None)
    middle = authority("Intermediate", "middle", root)
    permitted = explicit(0, sequence(implicit(2, b"a.test")), sequence(implicit(7, bytes([10, 0, 0, 0, 255, 0, 0, 0]))))
    middle.set("nameConstraints", sequence(permitted), critical=True)
    return Chain("constrained", server(middle, "www.a.test", "10.1.2.3"), [middle], [root], "www.a.test", NOW)


def _policies():
    root = authority("Root", "root", None)
    middle = authority("Intermediate", "middle", root)
    leaf = server(middle)
    for one in (middle, leaf):
        one.set("certificatePolicies", sequence(sequence(identifier("2.23.140.1.2.1"))))
    return Chain("policies", leaf, [middle], [root], "a.test", NOW)


def _address():
    root = authority("Root", "root", None)
    middle = authority("Intermediate", "middle", root)
    return Chain("address", server(middle, "192.0.2.1", "2001:db8::1"), [middle], [root], "192.0.2.1", NOW)


def _decoys():
    root = authority("Root", "root", None)
    middle = authority("Intermediate", "middle", root)
    twin = authority("Intermediate", "middle", root, serial=77)
    twin.not_after = moment(NOW - 3600)
    namesake = authority("Intermediate", "other", root)
    return Chain("decoys", server(middle), [twin, namesake, middle], [root], "a.test", NOW)


RECIPES = [
    _single, _intermediate, _two_intermediates, _cross_signed, _rollover, _constrained, _policies, _address, _decoys]


def recipes():
    return [make() for make in RECIPES]


def corpus(path):
    """The chains of a suite in x509-limbo's format, with each key replaced by one of ours.

    Chains for clients, with a hundred certificates, or that this parser cannot read are omitted. PKITS does not limit purposes, so its
    chains are also valid for servers.
    """
    with open(path, encoding="utf-8") as file:
        suite = json.load(file)
    chains = []
    for case in suite["testcases"]:
        groups = [[case["peer_certificate"]], case["untrusted_intermediates"], case["trusted_certs"]]
        is_for_servers = case["validation_kind"] == "SERVER" or case["id"].startswith("pkits::")
        if not is_for_servers or sum(map(len, groups)) > 8:
            continue
        try:
            chains.append(_rekeyed(case, groups))
        except (Malformed, ValueError, IndexError):
            continue
    return chains


def _rekeyed(case, groups):
    encoded = [[x509.load_pem_x509_certificate(text.encode()) for text in group] for group in groups]
    flat = [one for group in encoded for one in group]
    parsed = [Certificate.parsed(_der(text)) for group in groups for text in group]
    originals = {one.key: f"{len(one.key)}" for one in parsed}
    for number, spki in enumerate(originals):
        originals[spki] = f"rekeyed {number}"
    signers = [_signer(one, parsed, flat, number) for number, one in enumerate(parsed)]
    for one, signer in zip(parsed, signers):
        one.signer = originals[signer] if signer else "stranger"
    for one in parsed:
        one.key = originals[one.key]
        if one.inner_algorithm == one.algorithm:
            one.inner_algorithm = None
            one.algorithm = ECDSA_SHA256
    leaf, *rest = parsed
    peer = case["expected_peer_name"]
    host = peer["value"] if peer and peer["kind"] in ("DNS", "IP") else ""
    count = len(groups[1])
    return Chain(case["id"], leaf, rest[:count], rest[count:], host, _time(case, flat))


def _der(text):
    import base64

    return base64.b64decode("".join(line for line in text.splitlines() if not line.startswith("-----")))


def _signer(one, parsed, flat, number):
    """The name of the signing certificate's key, in the form of the parsed certificates."""
    for candidate, original in zip(parsed, flat):
        if candidate.subject == one.issuer and _verifies(flat[number], original):
            return candidate.key
    return None


def _verifies(issued, issuer):
    try:
        public = issuer.public_key()
        if isinstance(public, rsa.RSAPublicKey):
            public.verify(
                issued.signature, issued.tbs_certificate_bytes, padding.PKCS1v15(), issued.signature_hash_algorithm)
        else:
            issued.verify_directly_issued_by(issuer)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError, TypeError):
        return False
    return True


def _time(case, certificates):
    if case["validation_time"]:
        return int(datetime.datetime.fromisoformat(case["validation_time"]).timestamp())
    # The current time would make a run depend on the day, so it is the middle of the common validity.
    start = max(one.not_valid_before_utc for one in certificates)
    end = min(one.not_valid_after_utc for one in certificates)
    middle = NOW if end <= start or start.timestamp() <= NOW <= end.timestamp() else (
        start.timestamp() + end.timestamp()) / 2
    return int(middle)
