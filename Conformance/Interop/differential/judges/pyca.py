# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Validates chains with pyca/cryptography's verifier of server certificates. The lines have the format of lines.h."""

import base64
import datetime
import ipaddress
import re
import warnings

from answers import answer
from cryptography import x509
from cryptography.x509 import verification

warnings.simplefilter("ignore")


def parsed(text):
    return x509.load_der_x509_certificate(base64.b64decode(text))


def readable(text):
    certificates = []
    for one in filter(None, text.split(",")):
        try:
            certificates.append(parsed(one))
        except ValueError:
            pass
    return certificates


def subject(host):
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def reason(error):
    """The message without the parts that differ between chains."""
    text = str(error).partition(" (encountered processing")[0]
    text = re.sub(r"^validation failed: ", "", text)
    text = re.sub(r"candidates exhausted: ", "", text)
    text = re.sub(r"<Certificate\(.*?\)>|<Name\(.*?\)>|ObjectIdentifier\(.*?\)|\d[\d.]*|\[.*\]|\".*?\"", "X", text)
    return text[:120]


def judge(time, host, leaf, issuers, anchors):
    # Its verifier requires a name.
    if not host:
        return "-"
    try:
        leaf = parsed(leaf)
    except ValueError as error:
        return f"unreadable: {reason(error)}"
    anchors = readable(anchors)
    if not anchors:
        return "no anchors"
    try:
        moment = datetime.datetime.fromtimestamp(int(time), datetime.timezone.utc)
        builder = verification.PolicyBuilder().time(moment).store(verification.Store(anchors))
        builder.build_server_verifier(subject(host)).verify(leaf, readable(issuers))
    except verification.VerificationError as error:
        return reason(error)
    # Late parsing errors, and unexpected exceptions.
    except BaseException as error:
        return f"{type(error).__name__}: {reason(error)}"
    return "ok"


answer(judge)
