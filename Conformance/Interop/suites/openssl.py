# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""OpenSSL's test/recipes/25-test_verify.t, with the certificates of test/certs."""

import re

from cases import BOTH_WEAKNESSES, Outside, blocks, case, numbered

PURPOSES = {
    "": "any", "sslserver": "server", "sslclient": "client", "timestampsign": "timeStamping", "codesign": "codeSigning",
    "smimesign": "email"}
# The recipe runs at the current time; the certificates are valid until 2110 or later.
NOW = 1_780_272_000
CALL = re.compile(
    r'ok(?:_nofips)?\(\s*(!?)verify\("([^"]+)",\s*"([^"]*)",\s*\[([^]]*)\],\s*\[([^]]*)\],?\s*((?:"[^"]*",?\s*|@\w+,?\s*)*)\)'
    r',\s*["\']([^"\']+)["\']', re.DOTALL)
# The recipe expects that the command fails, with this status.
FAILING = "Name constraints bad othername name constraint"
OUTSIDE = {
    "-allow_proxy_certs": "proxy certificates (RFC 3820)", "-vfyopt": "SM2 signatures", "@prov": "the FIPS provider",
    "-CAstore": "the store of the command", "-CAfile": "the store of the command"}


def cases(folder):
    # Comments can contain parentheses.
    recipe = re.sub(r"^\s*#.*$", "", (folder / "test/recipes/25-test_verify.t").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return numbered([_case(folder / "test/certs", *match.groups()) for match in CALL.finditer(recipe)])


def _case(folder, negation, leaf, purpose, anchors, issuers, options, title):
    id = f"openssl::{title}"
    words = re.findall(r'"([^"]*)"|(@\w+)', options)
    options = [one or other for one, other in words]
    outside = next((OUTSIDE[one] for one in options if one in OUTSIDE), None)
    level = int(_value(options, "-auth_level") or 1)
    if outside is None and level > 2:
        outside = f"the security level {level}"
    if outside:
        return Outside(id, outside)
    try:
        leaf, issuers, anchors = _all(folder, leaf)[0], _list(folder, issuers), _list(folder, anchors)
    except FileNotFoundError as error:
        # The recipe expects a failure, and its cause is the missing file.
        return Outside(id, f"a certificate that is missing in the suite ({error.filename.rpartition('/')[2]})")
    policy = _value(options, "-policy")
    depth = _value(options, "-verify_depth")
    return case(
        id, leaf, issuers, anchors, not negation and title != FAILING, moment=int(_value(options, "-attime") or NOW),
        purpose=PURPOSES[purpose], rules="rfc5280" if "-x509_strict" in options else "private",
        weaknesses=(BOTH_WEAKNESSES, ["rsa-1024"], [])[level], initial_policy_set=[policy] if policy else None,
        initial_explicit_policy="-explicit_policy" in options, max_chain_depth=int(depth) if depth else None)


def _value(options, name):
    return options[options.index(name) + 1] if name in options else None


def _list(folder, text):
    names = re.findall(r"[A-Za-z0-9+_.-]+", re.sub(r"\bqw\(", "(", text))
    # Every certificate of a file counts.
    return [one for name in names for one in _all(folder, name)]


def _all(folder, name):
    """The certificates of a file; one with OpenSSL's trust settings remains PEM."""
    text = (folder / f"{name}.pem").read_text(encoding="utf-8", errors="replace")
    if "BEGIN TRUSTED CERTIFICATE" in text:
        return [text[text.index("-----BEGIN TRUSTED") :]]
    return [data for label, data in blocks(text) if label.endswith("CERTIFICATE")]
