# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Chains whose fields can be changed, and which are signed with our keys when they are written."""

import base64
import copy
import datetime
import hashlib
from dataclasses import dataclass, field
from functools import lru_cache

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519

import rsa_keys
from der import BITS, BOOLEAN, OCTETS, Malformed, explicit, identifier, inside, dotted, oid, sequence, split, tlv

ECDSA_SHA256 = sequence(identifier("1.2.840.10045.4.3.2"))
HASHES = {
    "1.2.840.10045.4.3.2": hashes.SHA256(),
    "1.2.840.10045.4.3.3": hashes.SHA384(),
    "1.2.840.10045.4.3.4": hashes.SHA512(),
    "1.2.840.10045.4.1": hashes.SHA1(),
}
CURVES = {
    "p384": ec.SECP384R1, "p521": ec.SECP521R1, "brainpool256": ec.BrainpoolP256R1, "brainpool384": ec.BrainpoolP384R1,
    "brainpool512": ec.BrainpoolP512R1,
}
EXTENSIONS = {
    "subjectKeyIdentifier": "2.5.29.14",
    "keyUsage": "2.5.29.15",
    "subjectAltName": "2.5.29.17",
    "issuerAltName": "2.5.29.18",
    "basicConstraints": "2.5.29.19",
    "nameConstraints": "2.5.29.30",
    "cRLDistributionPoints": "2.5.29.31",
    "certificatePolicies": "2.5.29.32",
    "policyMappings": "2.5.29.33",
    "authorityKeyIdentifier": "2.5.29.35",
    "policyConstraints": "2.5.29.36",
    "extKeyUsage": "2.5.29.37",
    "inhibitAnyPolicy": "2.5.29.54",
    "authorityInfoAccess": "1.3.6.1.5.5.7.1.1",
    "tlsFeature": "1.3.6.1.5.5.7.1.24",
    "subjectInfoAccess": "1.3.6.1.5.5.7.1.11",
    "precertificatePoison": "1.3.6.1.4.1.11129.2.4.3",
    "unknown": "1.3.6.1.4.1.55555.1",
}
EXTENSION_NAMES = {number: name for name, number in EXTENSIONS.items()}


@lru_cache(maxsize=4096)
def key(name):
    """A private key that is derived from its name: `ed25519:…`, `rsa:…` and the like have these types, all others P-256."""
    digest = hashlib.sha384(name.encode()).digest()
    kind = name.partition(":")[0]
    if kind in rsa_keys.KINDS:
        return rsa_keys.Key(name)
    if kind == "ed25519":
        return ed25519.Ed25519PrivateKey.from_private_bytes(digest[:32])
    if kind == "ed448":
        return ed448.Ed448PrivateKey.from_private_bytes((digest + digest)[:57])
    if kind in CURVES:
        # The number is smaller than every order of these curves.
        return ec.derive_private_key(int.from_bytes(digest if kind == "p384" else digest[:31], "big") >> 8 | 1, CURVES[kind]())
    return ec.derive_private_key(int.from_bytes(digest[:31], "big") | 1, ec.SECP256R1())


@lru_cache(maxsize=4096)
def public_key(name):
    """The SubjectPublicKeyInfo of a key."""
    private = key(name)
    if isinstance(private, rsa_keys.Key):
        return private.public_key()
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return private.public_key().public_bytes(serialization.Encoding.DER, form)


@dataclass
class Extension:
    number: str
    value: bytes
    critical: bool = False
    # The replacement of the complete encoding of the extension.
    raw: bytes | None = None

    @property
    def name(self):
        return EXTENSION_NAMES.get(self.number, "other")

    def encoded(self):
        if self.raw is not None:
            return self.raw
        flag = tlv(BOOLEAN, b"\xff") if self.critical else b""
        return sequence(identifier(self.number), flag, tlv(OCTETS, self.value))

    @classmethod
    def parsed(cls, content):
        parts = split(content)
        if not 2 <= len(parts) <= 3 or parts[0][0] != 6 or parts[-1][0] != OCTETS:
            raise Malformed("not an extension")
        critical = len(parts) == 3 and parts[1][1] != b"\0"
        extension = cls(dotted(parts[0][1]), parts[-1][1], critical)
        if extension.encoded() != sequence(content):
            extension.raw = sequence(content)
        return extension


@dataclass
class Certificate:
    """The encoded fields of RFC 5280 section 4.1, the certificate's key, and the signing key."""

    serial: bytes
    issuer: bytes
    not_before: bytes
    not_after: bytes
    subject: bytes
    key: str
    signer: str
    # `None` omits the field.
    version: bytes | None = explicit(0, b"\x02\x01\x02")
    extensions: list | None = field(default_factory=list)
    algorithm: bytes = ECDSA_SHA256
    inner_algorithm: bytes | None = None
    public_key: bytes | None = None
    unique_identifiers: bytes = b""
    # Bytes after the extensions, in the signed part.
    tail: bytes = b""
    # Changes to the signed part, to the signature, and to the complete certificate.
    change_signed: list = field(default_factory=list)
    change_signature: list = field(default_factory=list)
    change_whole: list = field(default_factory=list)

    def copy(self):
        other = copy.copy(self)
        other.extensions = None if self.extensions is None else [copy.copy(one) for one in self.extensions]
        other.change_signed, other.change_signature = list(self.change_signed), list(self.change_signature)
        other.change_whole = list(self.change_whole)
        return other

    def extension(self, name):
        wanted = EXTENSIONS[name]
        return next((one for one in self.extensions or [] if one.number == wanted), None)

    def set(self, name, value, critical=False):
        """Replaces the extension with the same name, or appends it."""
        found = self.extension(name)
        if found is None:
            self.extensions = [*(self.extensions or []), Extension(EXTENSIONS[name], value, critical)]
        else:
            found.value, found.critical, found.raw = value, critical, None

    def remove(self, name):
        self.extensions = [one for one in self.extensions or [] if one.number != EXTENSIONS[name]] or None

    @property
    def is_self_signed(self):
        return self.key == self.signer and self.issuer == self.subject

    def signed_part(self):
        extensions = b""
        if self.extensions is not None:
            extensions = explicit(3, sequence(*(one.encoded() for one in self.extensions)))
        part = sequence(
            self.version or b"", self.serial, self.algorithm if self.inner_algorithm is None else self.inner_algorithm,
            self.issuer, sequence(self.not_before, self.not_after), self.subject,
            public_key(self.key) if self.public_key is None else self.public_key,
            self.unique_identifiers, extensions, self.tail)
        for change in self.change_signed:
            part = _changed(change, part)
        return part

    def encoded(self):
        part = self.signed_part()
        signature = signed(part, self.signer, self.algorithm)
        for change in self.change_signature:
            signature = _changed(change, signature)
        whole = sequence(part, self.algorithm, tlv(BITS, b"\0", signature))
        for change in self.change_whole:
            whole = _changed(change, whole)
        return whole

    @classmethod
    def parsed(cls, data):
        """Reads a certificate; its key and signer are named after their contents until they are replaced."""
        (_, part), (_, algorithm), (_, signature) = inside(data)
        fields = split(part)
        version = tlv(*fields.pop(0)) if fields[0][0] == 0xA0 else None
        serial, inner, issuer, validity, subject, public = (tlv(*one) for one in fields[:6])
        not_before, not_after = (tlv(*one) for one in inside(validity))
        rest = fields[6:]
        extensions = None
        if rest and rest[-1][0] == 0xA3:
            extensions = [Extension.parsed(content) for _, content in inside(rest.pop()[1])]
        return cls(
            serial=serial, issuer=issuer, not_before=not_before, not_after=not_after, subject=subject,
            key=public.hex(), signer=signature.hex(), version=version, extensions=extensions,
            algorithm=sequence(algorithm), inner_algorithm=inner,
            unique_identifiers=b"".join(tlv(*one) for one in rest))


def _changed(change, data):
    try:
        return change(data)
    # An earlier mutation has removed what this one changes.
    except (Malformed, ValueError, TypeError, IndexError):
        return data


@lru_cache(maxsize=65536)
def signed(part, signer, algorithm):
    """A deterministic signature (RFC 6979 for ECDSA), so that a chain is the same in every run."""
    private = key(signer)
    if isinstance(private, rsa_keys.Key):
        return private.sign(part, algorithm)
    if isinstance(private, (ed25519.Ed25519PrivateKey, ed448.Ed448PrivateKey)):
        return private.sign(part)
    try:
        number = dotted(inside(algorithm)[0][1])
    except (Malformed, IndexError):
        number = ""
    return private.sign(part, ec.ECDSA(HASHES.get(number, hashes.SHA256()), deterministic_signing=True))


@dataclass
class Chain:
    """A case: the presented certificates, the anchors, the host and the time."""

    origin: str
    leaf: Certificate
    issuers: list
    anchors: list
    host: str
    # The time in seconds since 1970.
    time: int
    # Unreadable certificates of the corpora, unchanged, among the issuers.
    opaque: list = field(default_factory=list)
    mutations: list = field(default_factory=list)

    def copy(self):
        other = copy.copy(self)
        other.leaf = self.leaf.copy()
        other.issuers, other.anchors = ([one.copy() for one in group] for group in (self.issuers, self.anchors))
        other.opaque, other.mutations = list(self.opaque), list(self.mutations)
        return other

    @property
    def certificates(self):
        return [self.leaf, *self.issuers, *self.anchors]

    def encoded(self):
        return (
            self.leaf.encoded(), [one.encoded() for one in self.issuers] + self.opaque,
            [one.encoded() for one in self.anchors])

    def limbo(self, name, encoded=None):
        """Returns the case in x509-limbo's schema."""
        leaf, issuers, anchors = encoded or self.encoded()
        peer = None
        if self.host:
            kind = "IP" if ":" in self.host or self.host.replace(".", "").isdigit() else "DNS"
            peer = {"kind": kind, "value": self.host}
        time = datetime.datetime.fromtimestamp(self.time, datetime.timezone.utc)
        return {
            "id": name, "conflicts_with": [], "features": [], "importance": "undetermined",
            "description": " + ".join(self.mutations) or self.origin, "validation_kind": "SERVER",
            "trusted_certs": [pem(one) for one in anchors], "untrusted_intermediates": [pem(one) for one in issuers],
            "peer_certificate": pem(leaf), "peer_certificate_key": None,
            "validation_time": time.strftime("%Y-%m-%dT%H:%M:%S+00:00"), "signature_algorithms": [],
            "key_usage": [], "extended_key_usage": [], "expected_result": "FAILURE", "expected_peer_name": peer,
            "expected_peer_names": [], "max_chain_depth": None, "crls": [],
        }


@lru_cache(maxsize=4096)
def pem(data):
    text = base64.b64encode(data).decode()
    lines = [text[place : place + 64] for place in range(0, len(text), 64)]
    return "\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])
