# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Structured mutations. Each has a kind and a position that depend only on a seed, so that it can be omitted or repeated."""

import copy
import random

import rsa_keys
from chain import ECDSA_SHA256, EXTENSIONS, Extension, public_key
from der import (
    BITS, BMP, BOOLEAN, GENERALIZED, IA5, INTEGER, NULL, NUMERIC, OCTETS, OID, PRINTABLE, SEQUENCE, SET, TELETEX, UNIVERSAL, UTC, UTF8,
    VISIBLE, Malformed, Node, explicit, identifier, implicit, inside, integer, sequence, split, tlv)
from recipes import DAY, attribute, authority, key_identifier, moment, name
from variants import CRITICAL, VARIANTS

OF_CERTIFICATE, OF_CHAIN = {}, {}


def certificate_mutation(kind):
    def register(function):
        OF_CERTIFICATE[kind] = function
        return function
    return register


def chain_mutation(kind):
    def register(function):
        OF_CHAIN[kind] = function
        return function
    return register


def table(prefix, entries, apply):
    """Registers a mutation for each entry."""
    for label, value in entries.items():
        OF_CERTIFICATE[f"{prefix}/{label}"] = lambda one, chain, dice, value=value: apply(one, chain, value)


def mutated(chain, seed, wanted=None):
    """Returns the chain after the mutations of a seed; `wanted` contains the numbers of those that are applied.

    A mutation depends on its own number only, so omitting one does not change the others.
    """
    chain = chain.copy()
    dice = random.Random(seed)
    count = dice.choices((1, 2, 3), (60, 28, 12))[0]
    for number in range(count):
        own = random.Random(f"{seed}:{number}")
        if wanted is None or number in wanted:
            try:
                label = _apply(chain, own)
            # An earlier mutation has removed what this one changes.
            except (Malformed, ValueError, IndexError):
                label = "none"
            chain.mutations.append(label)
    return chain, count


def _apply(chain, dice):
    choice = dice.random()
    if choice < 0.14:
        kind = dice.choice(sorted(OF_CHAIN))
        return kind if OF_CHAIN[kind](chain, dice) is not False else f"none ({kind})"
    place, one = _place(chain, dice)
    if choice < 0.62:
        label = _vary(one, chain, dice)
    elif choice < 0.70:
        label = _tree(one, dice)
    else:
        label = dice.choice(sorted(OF_CERTIFICATE))
        if OF_CERTIFICATE[label](one, chain, dice) is False:
            label = f"none ({label})"
    return f"{label}@{place}"


def _place(chain, dice):
    choice = dice.random()
    if choice < 0.5 or not chain.anchors:
        return "leaf", chain.leaf
    if choice < 0.85 and chain.issuers:
        return "issuer", dice.choice(chain.issuers)
    return "anchor", dice.choice(chain.anchors)


# MARK: Extensions


def _vary(one, chain, dice):
    extension = dice.choice(sorted(VARIANTS))
    values = VARIANTS[extension](chain)
    kind = dice.choice(sorted(values))
    critical = extension in CRITICAL
    label = f"{extension}={kind}"
    if dice.random() < 0.15:
        critical = not critical
        label += "!critical" if critical else "!uncritical"
    one.set(extension, values[kind], critical)
    return label


def _pick(one, dice):
    return dice.choice(one.extensions) if one.extensions else None


@certificate_mutation("extension/remove")
def _(one, chain, dice):
    found = _pick(one, dice)
    if not found:
        return False
    one.extensions = [other for other in one.extensions if other is not found]


for _name in EXTENSIONS:
    def _remove(one, chain, dice, extension=_name):
        if one.extension(extension) is None:
            return False
        one.remove(extension)

    def _flip(one, chain, dice, extension=_name):
        found = one.extension(extension)
        if found is None:
            return False
        found.critical, found.raw = not found.critical, None

    def _double(one, chain, dice, extension=_name):
        found = one.extension(extension)
        if found is None:
            return False
        one.extensions.append(copy.copy(found))

    def _explicit(one, chain, dice, extension=_name):
        found = one.extension(extension)
        if found is None:
            return False
        flag = tlv(BOOLEAN, b"\x01" if found.critical else b"\0")
        found.raw = sequence(identifier(found.number), flag, tlv(OCTETS, found.value))

    if _name not in ("unknown", "precertificatePoison", "subjectInfoAccess", "tlsFeature", "issuerAltName"):
        OF_CERTIFICATE[f"remove/{_name}"] = _remove
        OF_CERTIFICATE[f"flip-critical/{_name}"] = _flip
        OF_CERTIFICATE[f"twice/{_name}"] = _double
        OF_CERTIFICATE[f"critical-encoding/{_name}"] = _explicit
del OF_CERTIFICATE["extension/remove"]


@certificate_mutation("extensions/none")
def _(one, chain, dice):
    one.extensions = None


@certificate_mutation("extensions/empty")
def _(one, chain, dice):
    one.extensions = []


@certificate_mutation("extensions/shuffle")
def _(one, chain, dice):
    dice.shuffle(one.extensions or [])


@certificate_mutation("extensions/twice-unknown")
def _(one, chain, dice):
    one.extensions = [*(one.extensions or []), *(Extension(EXTENSIONS["unknown"], tlv(NULL)) for _ in range(2))]


@certificate_mutation("extensions/many")
def _(one, chain, dice):
    one.extensions = [*(one.extensions or []), *(Extension(f"1.3.6.1.4.1.55555.2.{n}", tlv(NULL)) for n in range(40))]


# MARK: Fields


def _set(field):
    def apply(one, chain, value):
        setattr(one, field, value)
    return apply


table("version", {
    "1": None, "1-explicit": explicit(0, integer(0)), "2": explicit(0, integer(1)), "4": explicit(0, integer(3)),
    "negative": explicit(0, integer(-1)), "huge": explicit(0, integer(1 << 40))}, _set("version"))
table("serial", {
    "zero": integer(0), "negative": integer(-5), "20-octets": integer(0x7F << 152 | 1), "21-octets": integer(1 << 160),
    "padded": tlv(INTEGER, b"\0\1"), "no-octets": tlv(INTEGER), "huge": integer(1 << 800)}, _set("serial"))
table("inner-algorithm", {
    "sha384": sequence(identifier("1.2.840.10045.4.3.3")), "null-parameters": sequence(identifier("1.2.840.10045.4.3.2"), tlv(NULL)),
    "unknown": sequence(identifier("1.2.3.4")), "rsa": sequence(identifier("1.2.840.113549.1.1.11"), tlv(NULL))},
    _set("inner_algorithm"))
table("algorithm", {
    "sha384": sequence(identifier("1.2.840.10045.4.3.3")), "sha512": sequence(identifier("1.2.840.10045.4.3.4")),
    "sha1": sequence(identifier("1.2.840.10045.4.1")), "null-parameters": sequence(identifier("1.2.840.10045.4.3.2"), tlv(NULL)),
    "rsa": sequence(identifier("1.2.840.113549.1.1.11"), tlv(NULL)), "unknown": sequence(identifier("1.2.3.4"))},
    _set("algorithm"))
table("unique-identifier", {"issuer": tlv(0x81, b"\0x"), "subject": tlv(0x82, b"\0x"), "both": tlv(0x81, b"\0x") + tlv(0x82, b"\0y")},
      _set("unique_identifiers"))
table("tail", {"null": tlv(NULL), "unknown-field": explicit(4, tlv(NULL))}, _set("tail"))


def _modulus(bits):
    """The key info of an RSA key without factors: a leaf's key is never used here, only measured."""
    number = (1 << bits - 1) | int.from_bytes(b"\x5a" * (bits // 8 - 1), "big") | 1
    key = sequence(integer(number), integer(65537))
    return sequence(sequence(identifier("1.2.840.113549.1.1.1"), tlv(NULL)), tlv(BITS, b"\0", key))


table("leaf-key", {f"rsa-{bits}": _modulus(bits) for bits in (512, 1024, 2040, 2048, 2052, 3072)} | {
    "p384": public_key("p384:leaf"), "ed25519": public_key("ed25519:leaf"), "ed448": public_key("ed448:leaf"),
    "brainpool": public_key("brainpool256:leaf"), "p521": public_key("p521:leaf"), "rsa": public_key("rsa:leaf"),
    "pss": public_key("pss:leaf"), "unknown": sequence(
        sequence(identifier("1.2.3.4")), tlv(BITS, b"\0\1")),
    "compressed": sequence(inside(public_key("leaf"))[0] and tlv(*inside(public_key("leaf"))[0]), tlv(
        BITS, b"\0\2", inside(public_key("leaf"))[1][1][2:34])),
    "off-curve": sequence(tlv(*inside(public_key("leaf"))[0]), tlv(BITS, b"\0\4" + b"\1" * 64))},
    lambda one, chain, value: setattr(one, "public_key", value) if one is chain.leaf else False)


@certificate_mutation("key/p384")
def _(one, chain, dice):
    _rekey(one, chain, f"p384:{one.key}", sequence(identifier("1.2.840.10045.4.3.3")))


@certificate_mutation("key/ed25519")
def _(one, chain, dice):
    _rekey(one, chain, f"ed25519:{one.key}", sequence(identifier("1.3.101.112")))


_KEYS = {
    "ed448": identifier("1.3.101.113"), "p521": identifier("1.2.840.10045.4.3.4"), "brainpool256": identifier("1.2.840.10045.4.3.2"),
    "brainpool384": identifier("1.2.840.10045.4.3.3"), "brainpool512": identifier("1.2.840.10045.4.3.4")}
for _kind, _algorithm in _KEYS.items():
    OF_CERTIFICATE[f"key/{_kind}"] = lambda one, chain, dice, kind=_kind, number=_algorithm: _rekey(
        one, chain, f"{kind}:{one.key}", sequence(number))
for _kind, _algorithm in rsa_keys.PKCS1_ALGORITHMS.items():
    OF_CERTIFICATE[f"key/rsa-{_kind}"] = lambda one, chain, dice, encoded=_algorithm: _rekey(one, chain, f"rsa:{one.key}", encoded)


def _pss(one, chain, dice, key, kind):
    _rekey(one, chain, f"{key}:{one.key}", rsa_keys.PSS_ALGORITHMS[kind])


for _kind in rsa_keys.PSS_ALGORITHMS:
    OF_CERTIFICATE[f"key/rsa-pss-{_kind}"] = lambda one, chain, dice, kind=_kind: _pss(one, chain, dice, "rsa", kind)
# The parameters of a key restrict those of its signatures.
for _key in rsa_keys.KINDS.keys() - {"rsa"}:
    for _kind in ("sha256", "sha384", "salt-20", "salt-64", "mask-sha1", "defaults"):
        OF_CERTIFICATE[f"key/{_key}-by-{_kind}"] = lambda one, chain, dice, key=_key, kind=_kind: _pss(one, chain, dice, key, kind)
    OF_CERTIFICATE[f"key/{_key}-by-pkcs1"] = lambda one, chain, dice, key=_key: _rekey(
        one, chain, f"{key}:{one.key}", rsa_keys.PKCS1_ALGORITHMS["sha256"])


@certificate_mutation("key/other")
def _(one, chain, dice):
    one.key = f"other {one.key}"


def _rekey(one, chain, new, algorithm):
    old = one.key
    for other in chain.certificates:
        if other.key == old:
            other.key = new
        if other.signer == old:
            other.signer = new
            if other.inner_algorithm == other.algorithm:
                other.inner_algorithm = algorithm
            other.algorithm = algorithm


# MARK: Times


def _times(chain):
    now = chain.time
    text = moment(now)[2:]
    return {
        "expired": (None, moment(now - 1)), "ends-now": (None, moment(now)), "ends-next": (None, moment(now + 1)),
        "starts-now": (moment(now), None), "starts-next": (moment(now + 1), None), "starts-later": (moment(now + DAY), None),
        "swapped": (moment(now + DAY), moment(now - DAY)), "never-ends": (None, tlv(GENERALIZED, b"99991231235959Z")),
        "generalized-early": (tlv(GENERALIZED, b"20200101000000Z"), None), "generalized-end": (None, tlv(
            GENERALIZED, b"20400101000000Z")), "utc-1950": (tlv(UTC, b"500101000000Z"), None),
        "utc-2049": (None, tlv(UTC, b"491231235959Z")), "utc-without-seconds": (None, tlv(UTC, b"4012312359Z")),
        "utc-offset": (None, tlv(UTC, b"401231235959+0100")), "generalized-fraction": (None, tlv(
            GENERALIZED, b"20501231235959.5Z")), "generalized-local": (None, tlv(GENERALIZED, b"20501231235959")),
        "generalized-offset": (None, tlv(GENERALIZED, b"20501231235959+0100")), "no-such-day": (None, tlv(UTC, b"400230000000Z")),
        "hour-24": (None, tlv(UTC, b"400101240000Z")), "second-60": (None, tlv(UTC, b"400101235960Z")),
        "year-0": (tlv(GENERALIZED, b"00000101000000Z"), None), "letters": (None, tlv(UTC, b"4001010000xxZ")),
        "empty": (None, tlv(UTC)), "wrong-tag": (None, tlv(UTF8, b"401231235959Z")), "1960": (tlv(GENERALIZED, b"19600101000000Z"), None),
    }


for _kind in _times(type("Now", (), {"time": 1_780_272_000})):
    def _time(one, chain, dice, kind=_kind):
        start, end = _times(chain)[kind]
        one.not_before, one.not_after = start or one.not_before, end or one.not_after
    OF_CERTIFICATE[f"time/{_kind}"] = _time


# MARK: Names


def _attributes(subject):
    return [inside(tlv(*relative), SET) for relative in inside(subject)]


def _rewritten(subject, change):
    """The name with the text of each attribute changed by `change(tag, text)`."""
    relatives = []
    for relative in _attributes(subject):
        parts = []
        for _, content in relative:
            (tag, kind), value = split(content)
            parts.append(sequence(tlv(tag, kind), change(*value)))
        relatives.append(tlv(SET, *parts))
    return sequence(*relatives)


_NAMES = {
    "upper-case": lambda name: _rewritten(name, lambda tag, text: tlv(tag, text.upper())),
    "double-space": lambda name: _rewritten(name, lambda tag, text: tlv(tag, b" " + text.replace(b" ", b"  ") + b" ")),
    "printable": lambda name: _rewritten(name, lambda tag, text: tlv(PRINTABLE, text)),
    "utf8": lambda name: _rewritten(name, lambda tag, text: tlv(UTF8, text)),
    "teletex": lambda name: _rewritten(name, lambda tag, text: tlv(TELETEX, text)),
    "bmp": lambda name: _rewritten(name, lambda tag, text: tlv(BMP, text.decode("latin-1").encode("utf-16-be"))),
    "universal": lambda name: _rewritten(name, lambda tag, text: tlv(UNIVERSAL, text.decode("latin-1").encode("utf-32-be"))),
    "visible": lambda name: _rewritten(name, lambda tag, text: tlv(VISIBLE, text)),
    "ia5": lambda name: _rewritten(name, lambda tag, text: tlv(IA5, text)),
    "numeric": lambda name: _rewritten(name, lambda tag, text: tlv(NUMERIC, text)),
    "teletex-accent": lambda name: _rewritten(name, lambda tag, text: tlv(TELETEX, text + b"\xe9")),
    "bmp-accent": lambda name: _rewritten(name, lambda tag, text: tlv(BMP, (text.decode("latin-1") + "\u0159").encode("utf-16-be"))),
    "bmp-odd": lambda name: _rewritten(name, lambda tag, text: tlv(BMP, text + b"x" * (1 - len(text) % 2))),
    "universal-cut": lambda name: _rewritten(name, lambda tag, text: tlv(UNIVERSAL, text.decode("latin-1").encode("utf-32-be")[:-1])),
    "utf8-accent": lambda name: _rewritten(name, lambda tag, text: tlv(UTF8, text + "\u00e9".encode())),
    "printable-underscore": lambda name: _rewritten(name, lambda tag, text: tlv(PRINTABLE, text + b"_&")),
    "printable-latin": lambda name: _rewritten(name, lambda tag, text: tlv(PRINTABLE, text + b"\xe9")),
    "ia5-latin": lambda name: _rewritten(name, lambda tag, text: tlv(IA5, text + b"\xe9")),
    "not-utf8": lambda name: _rewritten(name, lambda tag, text: tlv(UTF8, text + b"\xff")),
    "printable-star": lambda name: _rewritten(name, lambda tag, text: tlv(PRINTABLE, text + b"*@")),
    "empty-text": lambda name: _rewritten(name, lambda tag, text: tlv(tag)),
    "reversed": lambda name: sequence(*(tlv(*one) for one in reversed(inside(name)))),
    "another-attribute": lambda name: sequence(*(tlv(*one) for one in inside(name)), attribute("2.5.4.11", "Unit")),
    "one-relative": lambda name: sequence(tlv(SET, *sorted(tlv(*part) for one in _attributes(name) for part in one))),
    "empty": lambda name: sequence(), "empty-relative": lambda name: sequence(tlv(SET)),
    "mailbox": lambda name: sequence(*(tlv(*one) for one in inside(name)), attribute("1.2.840.113549.1.9.1", "u@a.test", 0x16)),
    "other": lambda name: sequence(attribute("2.5.4.3", "Somebody else")),
    "host-only": lambda name: sequence(attribute("2.5.4.3", "other.test")), "long": lambda name: sequence(
        attribute("2.5.4.3", "x" * 100)),
    "wrong-tag": lambda name: tlv(SET, *(tlv(*one) for one in inside(name))),
}


def _renamed(change, field):
    def apply(one, chain, dice):
        try:
            setattr(one, field, change(getattr(one, field)))
        except (Malformed, ValueError):
            return False
    return apply


def _renamed_everywhere(change):
    def apply(one, chain, dice):
        old = one.subject
        try:
            new = change(old)
        except (Malformed, ValueError):
            return False
        for other in chain.certificates:
            other.subject = new if other.subject == old else other.subject
            other.issuer = new if other.issuer == old else other.issuer
    return apply


for _kind, _change in _NAMES.items():
    OF_CERTIFICATE[f"subject/{_kind}"] = _renamed(_change, "subject")
    OF_CERTIFICATE[f"issuer/{_kind}"] = _renamed(_change, "issuer")
    OF_CERTIFICATE[f"both-names/{_kind}"] = _renamed_everywhere(_change)


@certificate_mutation("both-names/self-issued")
def _(one, chain, dice):
    """Gives a certificate the name of its issuer, as in a key rollover."""
    old = one.subject
    for other in chain.certificates:
        if other.issuer == old and other is not one:
            other.issuer = one.issuer
    one.subject = one.issuer


# MARK: Encodings


def _whole(kind, change):
    OF_CERTIFICATE[f"whole/{kind}"] = lambda one, chain, dice: one.change_whole.append(change)


def _long(data):
    ((tag, content),) = split(data)
    return bytes([tag, 0x84]) + len(content).to_bytes(4, "big") + content


def _indefinite(data):
    ((tag, content),) = split(data)
    return bytes([tag, 0x80]) + content + b"\0\0"


def _with_signature(change):
    def apply(data):
        part, algorithm, signature = (tlv(*one) for one in inside(data))
        return sequence(part, algorithm, *change(split(signature)[0][1]))
    return apply


_whole("trailing", lambda data: data + b"\0")
_whole("long-length", _long)
_whole("indefinite", _indefinite)
_whole("cut", lambda data: data[:-1])
_whole("fourth-field", lambda data: sequence(split(data)[0][1], tlv(NULL)))
_whole("signature-unused-bits", _with_signature(lambda bits: [tlv(BITS, b"\1", bits[1:])]))
_whole("signature-octets", _with_signature(lambda bits: [tlv(OCTETS, bits[1:])]))
_whole("signature-missing", _with_signature(lambda bits: []))
_whole("signature-empty", _with_signature(lambda bits: [tlv(BITS, b"\0")]))


def _signature(kind, change):
    OF_CERTIFICATE[f"signature/{kind}"] = lambda one, chain, dice: one.change_signature.append(change)


def _numbers(change):
    def apply(data):
        try:
            return sequence(*change(*(tlv(*one) for one in inside(data))))
        except (Malformed, ValueError, TypeError):
            return data
    return apply


def _other_root(first, second):
    """The second of the two signatures that ECDSA has for a message."""
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    return first, integer(order - int.from_bytes(split(second)[0][1], "big"))


_signature("bit", lambda data: data[:-1] + bytes([data[-1] ^ 1]))
_signature("zero", lambda data: sequence(integer(0), integer(0)))
_signature("padded-number", _numbers(lambda r, s: (tlv(INTEGER, b"\0" + split(r)[0][1]), s)))
_signature("negative-number", _numbers(lambda r, s: (tlv(INTEGER, b"\x80" + split(r)[0][1]), s)))
_signature("trailing", lambda data: data + b"\0")
_signature("third-number", _numbers(lambda r, s: (r, s, integer(1))))
_signature("other-root", _numbers(_other_root))
_signature("long-length", _long)


@certificate_mutation("signed-by-stranger")
def _(one, chain, dice):
    one.signer = "stranger"


@certificate_mutation("signed-by-itself")
def _(one, chain, dice):
    one.signer = one.key


_OPERATIONS = ("delete", "double", "swap", "retag", "long-length", "indefinite", "bit", "truncate", "extend", "empty")


def _tree(one, dice):
    """Changes one element of the signed part, or of an extension's value."""
    operation = dice.choice(_OPERATIONS)
    seed = dice.random()
    if one.extensions and dice.random() < 0.7:
        found = _pick(one, dice)
        changed = _changed(found.value, operation, seed)
        if changed is None:
            return f"none (tree/{operation})"
        found.value, found.raw = changed, None
        return f"tree/{operation}/{found.name}"
    field = dice.choice(("serial", "issuer", "subject", "not_before", "not_after", "public_key", "inner_algorithm"))
    value = getattr(one, field)
    if value is None:
        value = public_key(one.key) if field == "public_key" else one.algorithm
    changed = _changed(value, operation, seed)
    if changed is None:
        return f"none (tree/{operation})"
    setattr(one, field, changed)
    return f"tree/{operation}/{field}"


def _changed(data, operation, seed):
    dice = random.Random(seed)
    try:
        nodes = [Node(*element) for element in split(data)]
    except Malformed:
        return None
    if len(nodes) != 1:
        return None
    root = nodes[0]
    node, parent = dice.choice(list(root.all()))
    if operation in ("delete", "double", "swap"):
        if parent is None:
            return None
        place = next(number for number, child in enumerate(parent.children) if child is node)
        if operation == "delete":
            del parent.children[place]
        elif operation == "double":
            parent.children.insert(place, node)
        else:
            dice.shuffle(parent.children)
    elif operation == "retag":
        node.tag = dice.choice((BOOLEAN, INTEGER, BITS, OCTETS, NULL, OID, UTF8, PRINTABLE, UTC, SEQUENCE, SET, 0x80, 0x81, 0x82, 0xA0))
    elif operation == "long-length":
        node.form = "long"
    elif operation == "indefinite":
        node.form = "indefinite"
    elif operation == "empty":
        node.content, node.children = b"", None
    else:
        content = bytearray(node.encoded()[2:] if node.children is None and len(node.content) < 0x80 else b"")
        if not content:
            return None
        if operation == "bit":
            content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
        elif operation == "truncate":
            del content[-1]
        else:
            content.append(dice.randrange(256))
        node.content = bytes(content)
    return root.encoded()


# MARK: Chains


@chain_mutation("chain/shuffle")
def _(chain, dice):
    dice.shuffle(chain.issuers)


@chain_mutation("chain/reverse")
def _(chain, dice):
    chain.issuers.reverse()


@chain_mutation("chain/drop-issuer")
def _(chain, dice):
    if not chain.issuers:
        return False
    chain.issuers.remove(dice.choice(chain.issuers))


@chain_mutation("chain/double-issuer")
def _(chain, dice):
    if not chain.issuers:
        return False
    chain.issuers.append(dice.choice(chain.issuers).copy())


@chain_mutation("chain/leaf-among-issuers")
def _(chain, dice):
    chain.issuers.insert(0, chain.leaf.copy())


@chain_mutation("chain/anchor-presented")
def _(chain, dice):
    chain.issuers.extend(one.copy() for one in chain.anchors)


@chain_mutation("chain/no-anchors")
def _(chain, dice):
    chain.anchors = [authority("Unrelated root", "unrelated", None)]


@chain_mutation("chain/unrelated-first")
def _(chain, dice):
    chain.issuers.insert(0, authority("Unrelated", "unrelated", None))


@chain_mutation("chain/unrelated-last")
def _(chain, dice):
    chain.issuers.append(authority("Unrelated", "unrelated", None))


@chain_mutation("chain/leaf-is-anchor")
def _(chain, dice):
    chain.anchors = [chain.leaf.copy()]


@chain_mutation("chain/leaf-is-anchor-too")
def _(chain, dice):
    chain.anchors.append(chain.leaf.copy())


@chain_mutation("chain/issuer-is-anchor")
def _(chain, dice):
    if not chain.issuers:
        return False
    chain.anchors = [dice.choice(chain.issuers).copy()]


@chain_mutation("chain/self-signed-leaf")
def _(chain, dice):
    chain.leaf.issuer, chain.leaf.signer = chain.leaf.subject, chain.leaf.key
    chain.anchors, chain.issuers = [chain.leaf.copy()], []


@chain_mutation("chain/self-signed-leaf-unknown")
def _(chain, dice):
    chain.leaf.issuer, chain.leaf.signer = chain.leaf.subject, chain.leaf.key


def _twin(chain, dice, change, first):
    authorities = chain.issuers or chain.anchors
    twin = dice.choice(authorities).copy()
    twin.serial = integer(int.from_bytes(twin.serial[2:], "big") % (1 << 60) + 1)
    change(twin)
    chain.issuers.insert(0 if first else len(chain.issuers), twin)


_TWINS = {
    "expired": lambda one: setattr(one, "not_after", moment(0)), "other-key": lambda one: setattr(one, "key", "twin"),
    "no-authority": lambda one: one.set("basicConstraints", sequence(), critical=True),
    "no-identifier": lambda one: one.remove("subjectKeyIdentifier"),
    "forged": lambda one: one.change_signature.append(lambda data: data[:-1] + bytes([data[-1] ^ 1])),
    "self-signed": lambda one: (setattr(one, "issuer", one.subject), setattr(one, "signer", one.key)),
    "client": lambda one: one.set("extKeyUsage", sequence(identifier("1.3.6.1.5.5.7.3.2"))),
    "constrained": lambda one: one.set(
        "nameConstraints", sequence(explicit(1, sequence(implicit(2, b"")))), critical=True),
    "unknown-critical": lambda one: one.set("unknown", tlv(NULL), critical=True),
}
for _kind, _change in _TWINS.items():
    for _first in (True, False):
        OF_CHAIN[f"twin/{_kind}/{'first' if _first else 'last'}"] = (
            lambda chain, dice, change=_change, first=_first: _twin(chain, dice, change, first))


@chain_mutation("twin-anchor/other-key")
def _(chain, dice):
    twin = chain.anchors[0].copy()
    twin.key = twin.signer = "twin"
    chain.anchors.insert(0, twin)


@chain_mutation("twin-anchor/expired")
def _(chain, dice):
    twin = chain.anchors[0].copy()
    twin.not_after = moment(0)
    chain.anchors.insert(0, twin)


@chain_mutation("chain/longer")
def _(chain, dice):
    """Inserts authorities between the leaf and its first issuer."""
    return _lengthened(chain, dice.choice((1, 2, 4, 7, 12)))


def _lengthened(chain, count):
    issuer = next((one for one in chain.issuers + chain.anchors if one.key == chain.leaf.signer), None)
    if issuer is None:
        return False
    for number in range(count):
        issuer = authority(f"Longer {number}", f"longer {number}", issuer)
        issuer.not_before, issuer.not_after = chain.leaf.not_before, chain.leaf.not_after
        chain.issuers.insert(0, issuer)
    chain.leaf.issuer, chain.leaf.signer = issuer.subject, issuer.key
    if chain.leaf.extension("authorityKeyIdentifier"):
        chain.leaf.set("authorityKeyIdentifier", sequence(implicit(0, key_identifier(issuer.key))))


@chain_mutation("chain/deep")
def _(chain, dice):
    """A straight path with more authorities than most limits allow."""
    return _lengthened(chain, dice.choice((10, 11, 20, 40, 60)))


def _names_and_constraints(names, constraints):
    """Gives the leaf many names, and an authority many constraints, one of which permits them."""
    def apply(chain, dice):
        authorities = [one for one in chain.issuers + chain.anchors if one.key == chain.leaf.signer]
        parent = chain.host.partition(".")[2]
        if not authorities or not parent or parent.replace(".", "").isdigit() or ":" in parent:
            return False
        others = (implicit(2, f"n{number}.{parent}".encode()) for number in range(names - 1))
        chain.leaf.set("subjectAltName", sequence(implicit(2, chain.host.encode()), *others))
        bases = [f"c{number}.test" for number in range(constraints - 1)]
        bases.insert(dice.randrange(constraints), parent)
        subtrees = explicit(dice.choice((0, 0, 1)), *(sequence(implicit(2, base.encode())) for base in bases))
        for one in authorities:
            one.set("nameConstraints", sequence(subtrees), critical=True)
    return apply


for _count in ((100, 100), (182, 182), (200, 300), (500, 500), (1000, 20), (20, 1000)):
    OF_CHAIN[f"many/{_count[0]}-names-{_count[1]}-constraints"] = _names_and_constraints(*_count)


def _host(kind, change):
    def apply(chain, dice):
        if not chain.host:
            return False
        chain.host = change(chain.host)
    OF_CHAIN[f"host/{kind}"] = apply


_host("upper-case", str.upper)
_host("final-dot", lambda host: host + ".")
_host("below", lambda host: "below." + host)
_host("parent", lambda host: host.partition(".")[2] or "test")
_host("other", lambda host: "other.example")
_host("address", lambda host: "192.0.2.1")
_host("address6", lambda host: "2001:db8::1")
_host("mapped-address", lambda host: "::ffff:192.0.2.1")
