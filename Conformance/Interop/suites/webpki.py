# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""rustls-webpki's tests up to version 0.103, whose certificates are files; later versions make them in the tests."""

import re

from cases import Outside, case, pem

# The time of the generated tests.
GENERATED = 0x1FEDF00D
FUNCTION = re.compile(r"^(?:pub )?fn (\w+)\(\) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
FILE = re.compile(r'include_bytes!\(\s*"([^"]+)"')


def cases(folder):
    tests = folder / "tests"
    found = []
    for file, read in (
            ("tls_server_certs", _server), ("client_auth", _client), ("client_auth_revocation", _revocation),
            ("integration", _chain), ("custom_ekus", _usage)):
        path = tests / f"{file}.rs"
        source = path.read_text(encoding="utf-8") if path.exists() else ""
        for name, body in FUNCTION.findall(source):
            files = [tests / one for one in FILE.findall(body)]
            if files and all(one.exists() for one in files):
                found += read(f"rustls-webpki::{file}::{name}", files, body)
    return found


def _server(id, files, body):
    """One case for each name that the certificate must match, or must not match."""
    ee, ca = (one.read_bytes() for one in files)
    is_valid = "Ok(())" in body
    lists = re.findall(r"&\[([^\]]*)\]", body)
    valid, invalid = (re.findall(r'"([^"]*)"', one) for one in (lists + ["", ""])[:2])
    if not is_valid:
        return [case(id, ee, [], [ca], False, moment=GENERATED)]
    return [case(id, ee, [], [ca], True, moment=GENERATED)] + [
        case(f"{id}/{name}", ee, [], [ca], name in valid, moment=GENERATED, host=name) for name in valid + invalid]


def _client(id, files, body):
    ee, ca = (one.read_bytes() for one in files)
    return [case(id, ee, [], [ca], "Ok(())" in body, moment=GENERATED, purpose="client")]


def _revocation(id, files, body):
    # The tests of the owned representation have the same inputs.
    if id.endswith("_owned"):
        return []
    if "ExpirationPolicy::Enforce" in body:
        return [Outside(id, "expired revocation lists")]
    lists = [pem(one.read_bytes(), "X509 CRL") for one in files if one.name.endswith(".crl.der")]
    chain = [one.read_bytes() for one in files if not one.name.endswith(".crl.der")]
    allows_unknown = "UnknownStatusPolicy::Allow" in body or not lists
    scope = "leaf" if "RevocationCheckDepth::EndEntity" in body else "path"
    return [case(
        id, chain[0], chain[1:-1], chain[-1:], "Ok(())" in body.rpartition("assert_eq!")[2], moment=GENERATED, purpose="client",
        crls=lists, revocation="softFail" if allows_unknown else "hardFail", revocation_scope=scope)]


def _chain(id, files, body):
    times = re.findall(r"from_secs\(([\d_]+)\)", body)
    names = [one.name for one in files]
    if not times or "critical_extensions" in id:
        return _critical(id, files, int(times[0])) if times else []
    chain = {one.name.removesuffix(".der").rpartition("_")[2]: one.read_bytes() for one in files}
    if not {"ee", "ca"} <= set(chain):
        return [Outside(id, f"the parsing of {', '.join(names)}")]
    issuers = [chain["inter"]] if "inter" in chain else []
    hosts = re.findall(r'check_(?:name|addr)\("([^"]+)"\)', body)
    return [case(
        f"{id}/{host}" if host else id, chain["ee"], issuers, [chain["ca"]], ".is_ok()" in body, moment=int(times[0]), host=host)
        for host in [None, *hosts]]


def _critical(id, files, moment):
    root, ca, *leaves = (one.read_bytes() for one in files)
    return [
        case(f"{id}/{path.stem}", leaf, [ca], [root], "noncrit" in path.stem, moment=moment)
        for path, leaf in zip(files[2:], leaves)]


def _usage(id, files, body):
    """The calls of check_cert, each with the certificates that were read last."""
    found, chain = [], []
    moment = re.search(r"from_secs\((0x[\da-f_]+|[\d_]+)\)", body)[1].replace("_", "")
    for number, line in enumerate(body.split(";")):
        file = FILE.search(line)
        if file:
            chain = [*chain, file[1]][-2:]
        call = re.search(r"check_cert\(ee, ca, ([^,]+), time, ([^)]*\)?)", line)
        if call and "client_auth()" not in call[1] and "server_auth()" not in call[1]:
            found.append(Outside(f"{id}/{number}", "a purpose of the application"))
        elif call:
            ee, ca = (next(one for one in files if str(one).endswith(name)).read_bytes() for name in chain)
            purpose = "client" if "client_auth()" in call[1] else "server"
            found.append(case(
                f"{id}/{number}", ee, [], [ca], call[2].startswith("Ok"), moment=int(moment, 0), purpose=purpose))
    return found
