# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Go's crypto/x509: the tables of verify_test.go and name_constraints_test.go, whose certificates are made as in the tests."""

import hashlib
import ipaddress
import re

from cases import BOTH_WEAKNESSES, Outside, case, certificates, common_time, numbered
from signing import ECDSA_SHA256, public_key, signed

from der import (
    BITS, BOOLEAN, OCTETS, PRINTABLE, SET, UTC, UTF8, explicit, identifier, implicit, integer, sequence, tlv)

PURPOSES = {"ServerAuth": "server", "ClientAuth": "client", "EmailProtection": "email", "CodeSigning": "codeSigning", "Any": "any"}
USAGES = {
    "serverAuth": "1.3.6.1.5.5.7.3.1", "clientAuth": "1.3.6.1.5.5.7.3.2", "email": "1.3.6.1.5.5.7.3.4", "any": "2.5.29.37.0",
    "netscapeSGC": "2.16.840.1.113730.4.1", "msSGC": "1.3.6.1.4.1.311.10.3.3", "other": "2.4.1.2.3",
    "ExtKeyUsageServerAuth": "1.3.6.1.5.5.7.3.1", "ExtKeyUsageClientAuth": "1.3.6.1.5.5.7.3.2",
    "ExtKeyUsageCodeSigning": "1.3.6.1.5.5.7.3.3"}
# The validity of the certificates that the tests make, and the time of the validation.
START, NOW, END = 1000, 1500, 2000


def cases(folder):
    package = folder / "src/crypto/x509"
    chains = (package / "verify_test.go").read_text(encoding="utf-8")
    names = (package / "name_constraints_test.go").read_text(encoding="utf-8")
    return numbered([
        *_chains(chains), *_domains(chains), *_usages(chains), *_graphs(chains), *_policies(chains, package / "testdata"),
        *(_constraints(number, test) for number, test in enumerate(_table(names, "var nameConstraintsTests = ")))])


# MARK: Go's composite literals

TOKEN = re.compile(r'\s+|//[^\n]*|("(?:[^"\\]|\\.)*"|`[^`]*`|!?[A-Za-z_][\w.]*|\d+|.)')


def _table(source, start):
    """The value after the first occurrence of a text; empty if this version of the suite lacks it."""
    if start not in source:
        return []
    place = source.index(start) + len(start)
    if start.endswith("struct"):
        place = source.index("}", place) + 1
    tokens, depth, has_begun = [], 0, False
    while not has_begun or depth:
        found = TOKEN.match(source, place)
        place, token = found.end(), found[1]
        if token is None:
            continue
        tokens.append(token)
        depth += {"{": 1, "}": -1}.get(token, 0)
        has_begun = has_begun or token == "{"
    return _value(tokens)


def _value(tokens):
    token = tokens.pop(0)
    if token[0] == '"':
        return token[1:-1].encode().decode("unicode_escape")
    if token[0] == "`":
        return token[1:-1]
    if token == "{":
        return _composite(tokens)
    if token == "[":
        # The type of a slice.
        while tokens.pop(0) != "{":
            pass
        return _composite(tokens)
    if token == "make":
        while tokens.pop(0) != ",":
            pass
        count = int(tokens.pop(0))
        tokens.pop(0)
        return [{} for _ in range(count)]
    if token == "func":
        return _function(tokens)
    if tokens and tokens[0] == "{":
        tokens.pop(0)
        return _composite(tokens)
    if tokens and tokens[0] == "(":
        # A call; its value is its name.
        while tokens.pop(0) != ")":
            pass
    return token


def _function(tokens):
    """The text of a function's body."""
    while tokens.pop(0) != "{":
        pass
    body, depth = [], 1
    while depth:
        body.append(tokens.pop(0))
        depth += {"{": 1, "}": -1}.get(body[-1], 0)
    return " ".join(body[:-1])


def _composite(tokens):
    fields, items = {}, []
    while tokens[0] != "}":
        if len(tokens) > 1 and tokens[1] == ":":
            name = tokens.pop(0)
            tokens.pop(0)
            fields[name] = _value(tokens)
        else:
            items.append(_value(tokens))
        if tokens[0] == ",":
            tokens.pop(0)
    tokens.pop(0)
    return fields or items or {}


# MARK: verify_test.go


def _chains(source):
    texts = dict(re.findall(r"^(?:const|var) (\w+) = `(.*?)`", source, re.MULTILINE | re.DOTALL))
    for number, test in enumerate(_table(source, "var verifyTests = []verifyTest")):
        id = f"golang::verify::{test.get('name', number)}"
        if test["leaf"] not in texts:
            yield Outside(id, "an RSA key that the test makes")
            continue
        roots, issuers = (
            [one for name in test.get(field, []) for one in certificates(texts[name])] for field in ("roots", "intermediates"))
        (usage,) = test.get("keyUsages", ["ExtKeyUsageServerAuth"])
        yield case(
            id, certificates(texts[test["leaf"]])[0], issuers, roots,
            "errorCallback" not in test, moment=int(test["currentTime"]), host=test.get("dnsName"),
            purpose=PURPOSES[usage.removeprefix("ExtKeyUsage")], weaknesses=BOTH_WEAKNESSES)


def _domains(source):
    """The table of matchDomainConstraint, each row as a name below a constraint."""
    for row in _table(source, "var nameConstraintTests = []struct"):
        constraint, domain, is_error, is_match = row
        root = _authority("Root", "root", None, {"ok": [f"dns:{constraint}"]})
        leaf = _leaf({"sans": [f"dns:{domain}"]}, ("Root", "root"))
        yield case(
            f"golang::domain::{domain or '(empty)'} below {constraint or '(empty)'}", leaf, [], [root],
            is_match == "true" and is_error != "true", moment=NOW)


def _usages(source):
    for test in _table(source[source.index("func TestEKUEnforcement") :], "tests := []struct"):
        def described(one):
            return {"ekus": [*one.get("EKUs", []), *("other" for _ in one.get("Unknown", []))]} if one else {}

        parent, issuers = ("root", "root"), []
        root = _authority("root", "root", None, described(test["root"]))
        for number, one in enumerate(test["inters"]):
            issuers.append(_authority(f"inter {number}", f"inter {number}", parent, described(one)))
            parent = (f"inter {number}",) * 2
        leaf = _leaf({"sans": ["dns:leaf.test"], **described(test["leaf"])}, parent)
        yield _with_purposes(f"golang::usage::{test['name']}", leaf, issuers, [root], test["verifyEKUs"], "err" not in test)


def _with_purposes(id, leaf, issuers, roots, wanted, is_valid):
    """Go accepts a chain for one of several purposes, so that a refusal is one for each of them."""
    if len(wanted) > 1 and is_valid:
        return Outside(id, "one of several purposes")
    purpose = PURPOSES[wanted[0].removeprefix("ExtKeyUsage")]
    return case(id, leaf, issuers, roots, is_valid, moment=NOW, purpose=purpose)


def _graphs(source):
    """The graphs of TestPathBuilding, whose edges are certificates."""
    for test in _table(source[source.index("func TestPathBuilding") :], "tests := []struct"):
        id, graph = f"golang::graph::{test['name']}", test["graph"]
        # Older versions have only the names of the roots.
        roots = [one if isinstance(one, dict) else {"Subject": one} for one in graph["Roots"]]
        edges = [{"Issuer": one["Subject"], "Type": "root", **one} for one in roots] + graph["Graph"]
        made = [_edge(serial, edge) for serial, edge in enumerate(edges)]
        if None in made:
            yield Outside(id, "a certificate or a constraint that the test computes")
            continue
        count = len(roots)
        (leaf,) = (one for one, edge in zip(made[count:], graph["Graph"]) if edge["Subject"] == graph["Leaf"])
        issuers = [one for one in made[count:] if one is not leaf]
        yield case(id, leaf, issuers, made[:count], "expectedErr" not in test, moment=NOW)


def _edge(serial, edge):
    """The certificate of an edge; `None` if its function sets other fields than names and extended key usages."""
    values, body = {}, edge.get("MutateTemplate", "")
    for field, items in re.findall(r"\w+\.(\w+) = \[ \] \w+ \{ ([^}]*) \}", body):
        values[field] = re.findall(r'[\w.]+', items)
    if "Constraint" in edge or not set(values) <= {"ExtKeyUsage", "PermittedDNSDomains", "DNSNames"} or body.count("=") != len(values):
        return None
    described = {"ekus": values.get("ExtKeyUsage", []), "ok": [f"dns:{one}" for one in values.get("PermittedDNSDomains", [])]}
    names = values.get("DNSNames", ["localhost"] if edge["Type"] == "leafCertificate" else [])
    issuer, subject = (_name(("2.5.4.3", edge[field])) for field in ("Issuer", "Subject"))
    extensions = _usage_extension(described)
    if edge["Type"] != "leafCertificate":
        extensions = _authority_extensions(edge["Subject"], described)
    if names:
        extensions.append(_extension("2.5.29.17", sequence(*(_text_name("dns", one) for one in names))))
    return _certificate(subject, edge["Subject"], (issuer, edge["Issuer"]), serial, extensions)


def _policies(source, data):
    """The two tables of TestPoliciesValid, the second one for two intermediates."""
    place = source.find("func TestPoliciesValid")
    if place < 0:
        return
    tests = [(test, {}) for test in _table(source[place:], "tests := []testCase")]
    more = _table(source[place:], "extraTests := []testCase")
    for name in ("intermediate_mapped", "intermediate_mapped_any"):
        uses_any = name.endswith("any")
        values = {"intermediate": name, "useAny": str(uses_any).lower(), "!useAny": str(not uses_any).lower()}
        tests += [(test, values) for test in more]
    for number, (test, values) in enumerate(tests):
        names = [values.get(one, one) for one in test["chain"]]
        chain = [certificates((data / f"policy_{name}.pem").read_text(encoding="utf-8"))[0] for name in names]
        wanted = test.get("policies", [])
        yield case(
            f"golang::policies::{number:02}", chain[0], chain[1:-1], chain[-1:],
            values.get(test["valid"], test["valid"]) == "true", moment=common_time(chain), purpose="any",
            initial_policy_set=["1.2.840.113554.4.1.72585.2." + one[-1] for one in wanted] or None,
            initial_explicit_policy=test.get("requireExplicitPolicy") == "true",
            initial_policy_mapping_inhibit=test.get("inhibitPolicyMapping") == "true",
            initial_inhibit_any_policy=test.get("inhibitAnyPolicy") == "true")


# MARK: name_constraints_test.go


def _constraints(number, test):
    # Older versions of the table have no names.
    id = f"golang::constraints::{test.get('name', format(number, '02'))}"
    parent, roots, issuers = (f"Root {number}", f"{number} root"), [], []
    for serial, one in enumerate(test["roots"]):
        roots.append(_authority(*parent, None, one, serial))
    for level, group in enumerate(test.get("intermediates", [])):
        name = (f"Intermediate level {level}", f"{number} {level}")
        issuers += [_authority(*name, parent, one, serial) for serial, one in enumerate(group)]
        parent = name
    wanted = test.get("requestedEKUs", ["ExtKeyUsageServerAuth"])
    return _with_purposes(id, _leaf(test["leaf"], parent), issuers, roots, wanted, "expectedError" not in test)


def _name(*attributes):
    return sequence(*(tlv(SET, sequence(identifier(kind), _text(value))) for kind, value in attributes if value))


def _text(value):
    return tlv(PRINTABLE if re.fullmatch(r"[A-Za-z0-9 '()+,./:=?-]*", value) else UTF8, value.encode())


def _key_identifier(name):
    return hashlib.sha1(public_key(name)).digest()


def _certificate(subject, key, parent, serial, extensions):
    issuer, signer = parent
    extensions = [*extensions, _extension("2.5.29.35", sequence(implicit(0, _key_identifier(signer))))]
    validity = sequence(*(tlv(UTC, b"700101%02d%02d%02dZ" % (one // 3600, one // 60 % 60, one % 60)) for one in (START, END)))
    number = int.from_bytes(hashlib.sha256(subject + key.encode() + bytes([serial])).digest()[:8], "big") | 1
    part = sequence(
        explicit(0, integer(2)), integer(number), ECDSA_SHA256, issuer, validity, subject, public_key(key),
        explicit(3, sequence(*extensions)))
    return signed(part, signer)


def _extension(number, value, critical=False):
    return sequence(identifier(number), tlv(BOOLEAN, b"\xff") if critical else b"", tlv(OCTETS, value))


def _usage_extension(one):
    usages = one.get("ekus", [])
    return [_extension("2.5.29.37", sequence(*(identifier(USAGES[usage]) for usage in usages)))] if usages else []


def _authority(name, key, parent, one, serial=0):
    subject = _name(("2.5.4.3", name))
    issuer = (_name(("2.5.4.3", parent[0])), parent[1]) if parent else (subject, key)
    return _certificate(subject, key, issuer, serial, _authority_extensions(key, one))


def _authority_extensions(key, one):
    extensions = [
        _extension("2.5.29.15", tlv(BITS, b"\2\4"), critical=True), *_usage_extension(one),
        _extension("2.5.29.19", sequence(tlv(BOOLEAN, b"\xff")), critical=True),
        _extension("2.5.29.14", tlv(OCTETS, _key_identifier(key)))]
    subtrees = [
        explicit(tag, *(sequence(_base(text)) for text in one[field])) for tag, field in enumerate(("ok", "bad")) if one.get(field)]
    if subtrees:
        extensions.append(_extension("2.5.29.30", sequence(*subtrees)))
    return extensions


def _leaf(one, parent):
    extensions = [
        _extension("2.5.29.15", tlv(BITS, b"\7\x80"), critical=True), *_usage_extension(one),
        _extension("2.5.29.19", sequence(), critical=True)]
    if one.get("sans"):
        extensions.append(_extension("2.5.29.17", sequence(*(_alternative(text) for text in one["sans"]))))
    subject = _name(("2.5.4.11", "Leaf"), ("2.5.4.3", one.get("cn")))
    return _certificate(subject, "leaf", (_name(("2.5.4.3", parent[0])), parent[1]), 0, extensions)


def _base(text):
    kind, _, value = text.partition(":")
    if kind == "ip":
        network = ipaddress.ip_network(value, strict=False)
        return implicit(7, network.network_address.packed + network.netmask.packed)
    return implicit(9, b"\1") if kind == "unknown" else _text_name(kind, value)


def _alternative(text):
    kind, _, value = text.partition(":")
    if kind == "ip":
        return implicit(7, ipaddress.ip_address(value).packed)
    return implicit(9, b"\1") if kind == "unknown" else _text_name(kind, value)


def _text_name(kind, value):
    return implicit({"email": 1, "dns": 2, "uri": 6}[kind], value.encode())
