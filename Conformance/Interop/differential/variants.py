# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""The replacements of each extension: values with names."""

import ipaddress

from chain import key, public_key
from der import (
    BITS, BOOLEAN, INTEGER, NULL, OCTETS, OID, SEQUENCE, UTF8, explicit, identifier, implicit, integer, oid, sequence, tlv)
from recipes import ANY_PURPOSE, CLIENT_AUTH, SERVER_AUTH, TRUE, attribute, general_name, key_identifier, key_usage, name

POLICY, OTHER_POLICY, ANY_POLICY = map(identifier, ("2.23.140.1.2.1", "2.23.140.1.2.2", "2.5.29.32.0"))
# Extensions that must be critical according to RFC 5280 section 4.2.
CRITICAL = {"basicConstraints", "keyUsage", "nameConstraints", "policyConstraints", "inhibitAnyPolicy", "policyMappings"}


def subtree(base, *bounds):
    return sequence(base, *bounds)


def permitted(*bases):
    return explicit(0, *map(subtree, bases))


def excluded(*bases):
    return explicit(1, *map(subtree, bases))


def dns(text):
    return implicit(2, text.encode())


def directory(value):
    return explicit(4, value)


def address_range(text):
    network = ipaddress.ip_network(text)
    return implicit(7, network.network_address.packed + network.netmask.packed)


def is_address(host):
    return ":" in host or host.replace(".", "").isdigit()


def alternative_names(chain):
    host = chain.host or "a.test"
    mine = general_name(host)
    parent = host.partition(".")[2] or "test"
    values = {
        "upper-case": dns(host.upper()), "wildcard": dns(f"*.{parent}"), "wildcard-below-host": dns(f"*.{host}"),
        "wildcard-part": dns(f"{host[0]}*.{parent}"), "wildcard-alone": dns("*"), "wildcard-second": dns(f"a.*.{parent}"),
        "wildcard-double": dns(f"*.*.{parent}"), "wildcard-bare-top": dns(f"*.{host.rpartition('.')[2]}"),
        "final-dot": dns(f"{host}."), "leading-dot": dns(f".{host}"), "inner-space": dns(f"{host} "),
        "other": dns("other.test"), "empty-name": dns(""), "nul": dns(f"{host}\0.evil.test"),
        "address-as-name": dns("192.0.2.1"), "address": implicit(7, bytes([192, 0, 2, 1])),
        "address-of-three": implicit(7, bytes([192, 0, 2])), "mailbox": implicit(1, b"user@" + host.encode()),
        "uri": implicit(6, b"https://" + host.encode() + b"/"), "directory": directory(name(host)),
        "registered": implicit(8, oid("1.2.3")),
        "other-name": explicit(0, identifier("1.2.3"), explicit(0, tlv(UTF8, b"x"))),
    }
    alone = {f"only-{kind}": sequence(value) for kind, value in values.items()}
    beside = {f"and-{kind}": sequence(mine, value) for kind, value in values.items()}
    more = {
        "underscore": sequence(mine, dns(f"a_b.{host}")), "hyphen-first": sequence(mine, dns(f"-a.{host}")),
        "long-label": sequence(mine, dns("a" * 64 + ".test")), "not-ascii": sequence(mine, implicit(2, "bücher.test".encode())),
        "a-label": sequence(mine, dns("xn--bcher-kva.test")), "twice": sequence(mine, mine), "empty": sequence(),
        "mailbox-bad": sequence(mine, implicit(1, b"not a mailbox")), "uri-bad": sequence(mine, implicit(6, b"::")),
        "trailing": sequence(mine) + b"\0", "wrong-tag": tlv(0x31, mine), "unknown-choice": sequence(mine, tlv(0x89, b"x")),
        "constructed-name": sequence(mine, tlv(0xA2, tlv(0x16, b"b.test"))),
    }
    return alone | beside | more


def constraints(chain):
    host = chain.host or "a.test"
    parent = host.partition(".")[2] or "test"
    bases = {
        "host": general_name(host), "parent": dns(parent), "parent-dotted": dns(f".{parent}"), "host-dotted": dns(f".{host}"),
        "upper-case": dns(host.upper()), "other": dns("other.test"), "suffix-of-label": dns(host[1:]), "empty-name": dns(""),
        "wildcard": dns(f"*.{parent}"), "final-dot": dns(f"{parent}."), "below-host": dns(f"below.{host}"),
        "not-ascii": implicit(2, "bücher.test".encode()), "address-as-name": dns("10.0.0.0"),
        "all-addresses": address_range("0.0.0.0/0"), "net": address_range("192.0.2.0/24"), "ten": address_range("10.0.0.0/8"),
        "net6": address_range("2001:db8::/32"), "all6": address_range("::/0"),
        "mask-with-holes": implicit(7, bytes([192, 0, 2, 0, 255, 0, 255, 0])),
        "host-bits": implicit(7, bytes([192, 0, 2, 1, 255, 255, 255, 0])), "address-short": implicit(7, bytes([192, 0, 2, 1])),
        "mailbox": implicit(1, b"user@a.test"), "mailbox-host": implicit(1, b"a.test"), "mailbox-domain": implicit(1, b".test"),
        "mailbox-empty": implicit(1, b""), "uri-host": implicit(6, b"a.test"), "uri-domain": implicit(6, b".test"),
        "uri-whole": implicit(6, b"https://a.test/"), "uri-address": implicit(6, b"192.0.2.1"),
        "directory-empty": directory(sequence()), "directory-country": directory(sequence(attribute("2.5.4.6", "NO", 0x13))),
        "directory-other": directory(name("Other")), "directory-leaf": directory(chain.leaf.subject),
        "registered": implicit(8, oid("1.2.3")), "other-name": explicit(0, identifier("1.2.3"), explicit(0, tlv(UTF8, b"x"))),
        "unknown-choice": tlv(0x89, b"x"),
    }
    values = {f"permit-{kind}": sequence(permitted(base)) for kind, base in bases.items()}
    values |= {f"exclude-{kind}": sequence(excluded(base)) for kind, base in bases.items()}
    mine = general_name(host)
    return values | {
        "empty": sequence(), "permit-nothing": sequence(explicit(0)), "exclude-nothing": sequence(explicit(1)),
        "both": sequence(permitted(mine), excluded(mine)), "exclude-child": sequence(permitted(mine), excluded(dns("b." + host))),
        "minimum-zero": sequence(explicit(0, subtree(mine, implicit(0, b"\0")))),
        "minimum-one": sequence(explicit(0, subtree(mine, implicit(0, b"\1")))),
        "maximum": sequence(explicit(0, subtree(mine, implicit(1, b"\5")))),
        "excluded-first": sequence(excluded(dns("other.test")), permitted(mine)),
        "trailing": sequence(permitted(mine)) + b"\0",
        "many": sequence(permitted(mine, *(dns(f"n{number}.test") for number in range(64)))),
    }


def basic_constraints(_):
    return {
        "empty": sequence(), "authority": sequence(TRUE), "explicit-false": sequence(tlv(BOOLEAN, b"\0")),
        "true-as-one": sequence(tlv(BOOLEAN, b"\1")), "length-without-authority": sequence(integer(0)),
        "length-0": sequence(TRUE, integer(0)), "length-1": sequence(TRUE, integer(1)), "length-2": sequence(TRUE, integer(2)),
        "length-negative": sequence(TRUE, integer(-1)), "length-huge": sequence(TRUE, integer(1 << 70)),
        "length-255": sequence(TRUE, integer(255)), "length-padded": sequence(TRUE, tlv(INTEGER, b"\0\1")),
        "trailing": sequence(TRUE) + b"\0", "extra-field": sequence(TRUE, integer(0), integer(0)), "null": tlv(NULL),
    }


def usages(_):
    values = {
        "digitalSignature": (0,), "nonRepudiation": (1,), "keyEncipherment": (2,), "dataEncipherment": (3,), "keyAgreement": (4,),
        "keyCertSign": (5,), "cRLSign": (6,), "encipherOnly": (7,), "decipherOnly": (8,), "all": range(9), "none": (),
        "sign-both": (0, 5), "agreement-encipherOnly": (4, 7),
    }
    return {kind: key_usage(*bits) for kind, bits in values.items()} | {
        "trailing-zeros": tlv(BITS, b"\0\x80"), "padding-set": tlv(BITS, b"\7\xff"), "unused-8": tlv(BITS, b"\x08\x80"),
        "trailing-octet": tlv(BITS, b"\7\x80\0"), "unused-6": tlv(BITS, b"\6\x80"), "authority-unused-0": tlv(BITS, b"\0\6"),
        "authority-trailing-octet": tlv(BITS, b"\7\6\0"), "authority-padding-set": tlv(BITS, b"\1\7"),
        "twelve-bits": tlv(BITS, b"\4\x80\xf0"),
        "no-octets": tlv(BITS), "ten-bits": tlv(BITS, b"\6\x80\x40"), "wrong-tag": tlv(OCTETS, b"\7\x80"),
        "trailing": key_usage(0, 5) + b"\0",
    }


def purposes(_):
    step_up = identifier("2.16.840.1.113730.4.1")
    return {
        "client": sequence(CLIENT_AUTH), "both": sequence(SERVER_AUTH, CLIENT_AUTH), "any": sequence(ANY_PURPOSE),
        "any-and-client": sequence(ANY_PURPOSE, CLIENT_AUTH), "any-and-server": sequence(SERVER_AUTH, ANY_PURPOSE),
        "server": sequence(SERVER_AUTH), "code": sequence(identifier("1.3.6.1.5.5.7.3.3")), "step-up": sequence(step_up),
        "step-up-and-client": sequence(step_up, CLIENT_AUTH), "unknown": sequence(identifier("1.2.3.4")),
        "ocsp": sequence(identifier("1.3.6.1.5.5.7.3.9")), "empty": sequence(), "twice": sequence(SERVER_AUTH, SERVER_AUTH),
        "trailing": sequence(SERVER_AUTH) + b"\0", "wrong-tag": tlv(0x31, SERVER_AUTH), "bare": SERVER_AUTH,
    }


def policies(_):
    cps = sequence(identifier("1.3.6.1.5.5.7.2.1"), tlv(0x16, b"https://a.test/cps"))
    strange = sequence(identifier("1.2.3.4"), tlv(0x16, b"x"))
    return {
        "one": sequence(sequence(POLICY)), "other": sequence(sequence(OTHER_POLICY)), "any": sequence(sequence(ANY_POLICY)),
        "one-and-any": sequence(sequence(POLICY), sequence(ANY_POLICY)), "two": sequence(sequence(POLICY), sequence(OTHER_POLICY)),
        "twice": sequence(sequence(POLICY), sequence(POLICY)), "empty": sequence(),
        "statement": sequence(sequence(POLICY, sequence(cps))), "strange-qualifier": sequence(sequence(POLICY, sequence(strange))),
        "no-qualifiers": sequence(sequence(POLICY, sequence())), "trailing": sequence(sequence(POLICY)) + b"\0",
        "extra-field": sequence(sequence(POLICY, sequence(cps), sequence())), "bare": sequence(POLICY),
    }


def policy_constraints(_):
    return {
        "explicit-0": sequence(implicit(0, b"\0")), "explicit-1": sequence(implicit(0, b"\1")),
        "explicit-2": sequence(implicit(0, b"\2")), "mapping-0": sequence(implicit(1, b"\0")),
        "both-0": sequence(implicit(0, b"\0"), implicit(1, b"\0")), "empty": sequence(),
        "explicit-negative": sequence(implicit(0, b"\xff")), "explicit-huge": sequence(implicit(0, b"\x7f" * 9)),
        "swapped": sequence(implicit(1, b"\0"), implicit(0, b"\0")), "explicit-no-octets": sequence(implicit(0, b"")),
        "twice": sequence(implicit(0, b"\0"), implicit(0, b"\0")),
    }


def policy_mappings(_):
    return {
        "one": sequence(sequence(POLICY, OTHER_POLICY)), "back": sequence(sequence(OTHER_POLICY, POLICY)),
        "from-any": sequence(sequence(ANY_POLICY, POLICY)), "to-any": sequence(sequence(POLICY, ANY_POLICY)),
        "two": sequence(sequence(POLICY, OTHER_POLICY), sequence(POLICY, POLICY)), "empty": sequence(),
    }


def skip_certificates(_):
    return {"0": integer(0), "1": integer(1), "negative": integer(-1), "huge": integer(1 << 70), "wrong-tag": tlv(OCTETS, b"\0")}


def authority_keys(chain):
    mine = key_identifier(chain.leaf.signer)
    issuer = explicit(1, explicit(4, chain.leaf.issuer))
    return {
        "right": sequence(implicit(0, mine)), "wrong": sequence(implicit(0, b"\xaa" * 20)), "empty": sequence(),
        "empty-identifier": sequence(implicit(0, b"")), "serial-only": sequence(implicit(2, b"\1")),
        "wrong-serial": sequence(issuer, implicit(2, b"\1")), "wrong-issuer": sequence(
            explicit(1, explicit(4, name("Another"))), implicit(2, b"\1")),
        "all-wrong-serial": sequence(implicit(0, mine), issuer, implicit(2, b"\1")), "issuer-only": sequence(issuer),
        "trailing": sequence(implicit(0, mine)) + b"\0", "bare": tlv(OCTETS, mine),
    }


def subject_keys(chain):
    return {
        "wrong": tlv(OCTETS, b"\xbb" * 20), "empty": tlv(OCTETS), "long": tlv(OCTETS, b"\xcc" * 200), "bare": b"\xdd" * 20,
        "of-leafs-signer": tlv(OCTETS, key_identifier(chain.leaf.signer)), "trailing": tlv(OCTETS, b"\xbb" * 20) + b"\0",
    }


def others(_):
    location = implicit(6, b"http://a.test/x")
    access = sequence(identifier("1.3.6.1.5.5.7.48.1"), location)
    return {
        "authorityInfoAccess": {"ocsp": sequence(access), "empty": sequence(), "bad": sequence(sequence()), "rubbish": b"\1"},
        "subjectInfoAccess": {"one": sequence(access), "empty": sequence()},
        "cRLDistributionPoints": {
            "one": sequence(sequence(explicit(0, explicit(0, location)))), "empty": sequence(), "point-empty": sequence(sequence()),
            "reasons-only": sequence(sequence(implicit(1, b"\7\x80"))), "rubbish": b"\1"},
        "issuerAltName": {"dns": sequence(dns("a.test")), "empty": sequence()},
        "tlsFeature": {"staple": sequence(integer(5)), "both": sequence(integer(5), integer(17)), "unknown": sequence(integer(99)),
                       "empty": sequence()},
        "precertificatePoison": {"null": tlv(NULL)},
        "unknown": {"null": tlv(NULL), "rubbish": b"\xff\xff", "no-octets": b""},
    }


VARIANTS = {
    "subjectAltName": alternative_names, "nameConstraints": constraints, "basicConstraints": basic_constraints,
    "keyUsage": usages, "extKeyUsage": purposes, "certificatePolicies": policies, "policyConstraints": policy_constraints,
    "policyMappings": policy_mappings, "inhibitAnyPolicy": skip_certificates, "authorityKeyIdentifier": authority_keys,
    "subjectKeyIdentifier": subject_keys,
}
VARIANTS |= {extension: lambda chain, extension=extension: others(chain)[extension] for extension in others(None)}
