# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Cases in x509-limbo's schema, with the inputs that only these suites have, and the reading of PEM and validity periods."""

import base64
import calendar
import datetime
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

# The DER of the differential tests.
sys.path.append(str(Path(__file__).resolve().parent.parent / "differential"))

from der import inside, sequence, tlv  # noqa: E402

PEM = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----\s*(.*?)-----END \1-----", re.DOTALL)
BOTH_WEAKNESSES = ["sha-1", "rsa-1024"]


@dataclass
class Case:
    """A case of the harness."""

    fields: dict

    @property
    def id(self):
        return self.fields["id"]


@dataclass
class Outside:
    """A case that tests a feature outside the scope of this project."""

    id: str
    feature: str


def case(
    id, leaf, issuers, anchors, is_valid, *, moment, host=None, purpose="server", rules="private", usages=(), weaknesses=(),
    **more,
):
    """Returns a case; certificates are DER, or PEM if the label matters; `moment` is in seconds since 1970."""
    kind = "IP" if host and (":" in host or host.replace(".", "").isdigit()) else "DNS"
    return Case({
        "id": id, "validation_kind": "CLIENT" if purpose == "client" else "SERVER", "peer_certificate": pem(leaf),
        "untrusted_intermediates": [pem(one) for one in issuers], "trusted_certs": [pem(one) for one in anchors],
        "validation_time": datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).isoformat(),
        "signature_algorithms": [], "key_usage": [], "extended_key_usage": list(usages),
        "expected_result": "SUCCESS" if is_valid else "FAILURE",
        "expected_peer_name": {"kind": kind, "value": host} if host else None, "expected_peer_names": [],
        "max_chain_depth": None, "crls": [], "purpose": purpose, "rules": rules,
        "accepted_weaknesses": list(weaknesses), **more})


def pem(data, label="CERTIFICATE"):
    if isinstance(data, str):
        return data
    text = base64.b64encode(data).decode()
    lines = [text[place : place + 64] for place in range(0, len(text), 64)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])


def blocks(text):
    """The labels and bytes of the PEM blocks in a text."""
    return [(label, base64.b64decode(re.sub(r"[^A-Za-z0-9+/=]", "", content))) for label, content in PEM.findall(text)]


def certificates(text):
    return [data for label, data in blocks(text) if label in ("CERTIFICATE", "X509 CERTIFICATE")]


def common_time(chain):
    """An instant in the validity period of every certificate, if there is one."""
    starts, ends = zip(*(_validity(one) for one in chain))
    return (max(starts) + min(ends)) // 2 if max(starts) <= min(ends) else None


def _validity(certificate):
    fields = inside(tlv(*inside(certificate)[0]))
    return [_seconds(*one) for one in inside(sequence(fields[4 if fields[0][0] == 0xA0 else 3][1]))]


def _seconds(tag, content):
    text = content.decode().rstrip("Z")
    if tag == 0x17:
        text = ("19" if text >= "50" else "20") + text
    return calendar.timegm(time.strptime(text[:14].ljust(14, "0"), "%Y%m%d%H%M%S"))


def utc(text):
    """The seconds of a UTCTime."""
    return _seconds(0x17, text.encode())


def numbered(items):
    """Makes the ids unique, with numbers after the first one of each."""
    seen = {}
    for item in items:
        count = seen[item.id] = seen.get(item.id, 0) + 1
        if count > 1:
            if isinstance(item, Outside):
                item.id = f"{item.id} ({count})"
            else:
                item.fields["id"] = f"{item.id} ({count})"
    return items
