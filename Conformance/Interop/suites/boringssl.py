# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""BoringSSL's tests of paths, revocation lists and OCSP responses (pki/testdata, pki/*_unittest.cc)."""

import re

from cases import BOTH_WEAKNESSES, Outside, blocks, case, certificates, pem, utc

from der import inside, sequence, split, tlv

PURPOSES = {"SERVER_AUTH": "server", "CLIENT_AUTH": "client", "ANY_EKU": "any"}
# Tests without a time are at this one (pki/test_helpers.cc).
DEFAULT_TIME = "211005120000Z"
# crl_unittest.cc, ocsp_unittest.cc and path_builder_unittest.cc.
TIME_OF_LISTS, TIME_OF_RESPONSES, TIME_OF_GRAPHS = 1489017600, 1488672000, 1488326400
# verify_unittest.cc: the leaf, the intermediates and the time.
REAL = {
    "google": ("google-leaf", ("google-intermediate1", "google-intermediate2"), 1499727444),
    "google-incomplete": ("google-leaf", (), 1499727444),
    "lencr": ("lencr-leaf", ("lencr-intermediate-r3", "lencr-root-x1-cross-signed"), 1699404611)}


def cases(folder):
    pki = folder / "pki"
    return [*_chains(pki), *_graphs(pki), *_real(pki), *_lists(pki), *_responses(pki)]


def _chains(pki):
    for path in sorted((pki / "testdata/verify_certificate_chain_unittest").glob("*/*.test")):
        yield _chain(path)


def _chain(path):
    settings, _, errors = path.read_text(encoding="utf-8").partition("expected_errors:")
    values = dict(re.findall(r"^([a-z_]+): *(.*?) *$", settings, re.MULTILINE))
    id = f"boringssl::chain::{path.parent.name}/{path.stem}"
    purpose = values["key_purpose"]
    # The suffixes demand an extended key usage of every certificate, or of the leaf.
    kind = re.sub(r"_STRICT(_LEAF)?$", "", purpose)
    if kind not in PURPOSES:
        return Outside(id, f"the purpose {purpose}")
    chain = certificates((path.parent / values["chain"]).read_text(encoding="utf-8"))
    trust = values["last_cert_trust"]
    is_trusted = trust not in ("DISTRUSTED", "UNSPECIFIED")
    more = {}
    wanted = values.get("expected_user_constrained_policy_set")
    if wanted is not None:
        more["user_constrained_policy_set"] = [one.strip() for one in wanted.split(",")]
    return case(
        id, chain[0], chain[1:-1], chain[-1:] if is_trusted else [], "ERROR: " not in errors,
        moment=utc(DEFAULT_TIME if values["utc_time"] == "DEFAULT" else values["utc_time"]), purpose=PURPOSES[kind],
        weaknesses=["rsa-1024"] if values.get("digest_policy") == "STRONG" else BOTH_WEAKNESSES, **more)


def _graphs(pki):
    """The graphs of path_builder_unittest, in each of which there is a path; the tests are about its order."""
    folder = pki / "testdata/path_builder_unittest"

    def read(path):
        return certificates(path.read_text(encoding="utf-8"))[0]

    for target in sorted(folder.glob("*/target.pem")):
        others = sorted(one for one in target.parent.glob("*.pem") if one != target)
        roots = [one for one in others if one.stem.startswith("root") and "cross" not in one.stem]
        issuers = [read(one) for one in others if one not in roots]
        id = f"boringssl::graph::{target.parent.name}"
        for root in roots:
            yield case(
                f"{id}/{root.stem}", read(target), issuers, [read(root)], True, moment=TIME_OF_GRAPHS, purpose="any",
                weaknesses=BOTH_WEAKNESSES)
    names = {path.stem.removeprefix("multi-root-"): read(path) for path in folder.glob("multi-root-*.pem")}
    issuers = [one for name, one in names.items() if name != "A-by-B"]
    for root in ("D-by-D", "E-by-E"):
        yield case(
            f"boringssl::graph::multi-root/{root}", names["A-by-B"], issuers, [names[root]], True, moment=TIME_OF_GRAPHS,
            purpose="any", weaknesses=BOTH_WEAKNESSES)
    yield case(
        "boringssl::graph::multi-root/none", names["A-by-B"], issuers, [], False, moment=TIME_OF_GRAPHS, purpose="any",
        weaknesses=BOTH_WEAKNESSES)


def _real(pki):
    """Chains of real servers, with Mozilla's roots as the anchors."""
    folder = pki / "testdata/verify_unittest"
    roots = [tlv(*one) for one in split((folder / "mozilla_roots.der").read_bytes())]
    for name, (leaf, issuers, moment) in REAL.items():
        chain = [(folder / f"{one}.der").read_bytes() for one in (leaf, *issuers)]
        yield case(f"boringssl::real::{name}", chain[0], chain[1:], roots, len(chain) > 1, moment=moment)


def _lists(pki):
    """Two cases for each list: one requires the status, the other accepts an unknown one."""
    for path in sorted((pki / "testdata/crl_unittest").glob("*.pem")):
        found = blocks(path.read_text(encoding="utf-8"))
        (leaf,) = _labelled(found, "CERTIFICATE")
        issuers = _labelled(found, "CA CERTIFICATE") + _labelled(found, "CA CERTIFICATE 2")
        issuers[-1] = _root(issuers[-1])
        status = path.stem.partition("_")[0]
        lists = [pem(one, "X509 CRL") for one in _labelled(found, "CRL")]
        for kind, is_valid in (("hardFail", status == "good"), ("softFail", status != "revoked")):
            yield case(
                f"boringssl::crl::{path.stem}/{kind}", leaf, issuers[:-1], issuers[-1:], is_valid, moment=TIME_OF_LISTS,
                purpose="any", weaknesses=BOTH_WEAKNESSES, crls=lists, revocation=kind, revocation_scope="leaf")


def _responses(pki):
    source = (pki / "ocsp_unittest.cc").read_text(encoding="utf-8")
    for name, status in re.findall(r'\{"([a-z0-9_]+)\.pem",\s*OCSPRevocationStatus::([A-Z]+)', source):
        path = pki / f"testdata/ocsp_unittest/{name}.pem"
        found = blocks(path.read_text(encoding="utf-8"))
        (leaf,), issuers = _labelled(found, "CERTIFICATE"), [_root(one) for one in _labelled(found, "CA CERTIFICATE")]
        responses = [pem(one, "OCSP RESPONSE") for one in _labelled(found, "OCSP RESPONSE")]
        for kind, is_valid in (("hardFail", status == "GOOD"), ("softFail", status != "REVOKED")):
            yield case(
                f"boringssl::ocsp::{name}/{kind}", leaf, [], issuers, is_valid, moment=TIME_OF_RESPONSES, purpose="any",
                weaknesses=BOTH_WEAKNESSES, ocsp_responses=responses, revocation=kind, revocation_scope="leaf")


def _root(certificate):
    """A root of version 1 with the same name and key, if the certificate has no extensions.

    These tests do not validate a path, and such a certificate of version 3 is no authority. The signature of an anchor has no effect.
    """
    part, *signature = inside(certificate)
    fields = inside(tlv(*part))
    if len(fields) > 7:
        return certificate
    _, serial, algorithm, _, validity, subject, key = (tlv(*one) for one in fields)
    return sequence(sequence(serial, algorithm, subject, validity, subject, key), *(tlv(*one) for one in signature))


def _labelled(found, label):
    return [data for one, data in found if one == label]
