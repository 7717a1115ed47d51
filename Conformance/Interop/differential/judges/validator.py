# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Validates chains with certvalidator. The lines have the format of lines.h."""

import base64
import datetime
import re
import warnings

warnings.simplefilter("ignore")
_search = re.search
# oscrypto 1.3.0 does not know versions of OpenSSL with two digits at the end, such as 3.0.19.


def _searched(pattern, *rest):
    if isinstance(pattern, str):
        pattern = pattern.replace(r"\d\.\d\.\d[", r"\d\.\d+\.\d+[")
    return _search(pattern, *rest)


re.search = _searched
try:
    from oscrypto import asymmetric  # noqa: F401
finally:
    re.search = _search

from answers import answer
from asn1crypto import x509
from certvalidator import CertificateValidator, ValidationContext, errors


def parsed(text):
    # It parses certificates lazily, so errors appear only when fields are used.
    certificate = x509.Certificate.load(base64.b64decode(text), strict=True)
    certificate.native
    return certificate


def readable(text):
    certificates = []
    for one in filter(None, text.split(",")):
        try:
            certificates.append(parsed(one))
        except (ValueError, TypeError, KeyError):
            pass
    return certificates


def reason(error):
    text = re.sub(r"\"[^\"]*\"|[0-9]{4}-[^ ]*( [0-9:]+Z)?|certificate [0-9]+|: .*$", "X", str(error).split("\n")[0])
    return f"{type(error).__name__}: {text}"[:160]


def judge(time, host, leaf, issuers, anchors):
    try:
        leaf = parsed(leaf)
    except (ValueError, TypeError, KeyError) as error:
        return f"unreadable: {reason(error)}"
    moment = datetime.datetime.fromtimestamp(int(time), datetime.timezone.utc)
    try:
        context = ValidationContext(trust_roots=readable(anchors), moment=moment, allow_fetching=False)
        validator = CertificateValidator(leaf, readable(issuers), context)
        if host:
            validator.validate_tls(host)
        else:
            validator.validate_usage(set(), {"server_auth"}, extended_optional=True)
    except (errors.ValidationError, errors.PathError) as error:
        return reason(error)
    # Errors that are not verdicts.
    except BaseException as error:
        return f"crash: {reason(error)}"
    return "ok"


answer(judge)
