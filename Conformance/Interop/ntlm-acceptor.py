# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""An NTLM acceptor with pyspnego, for the interop tests.

It reads one command per line from standard input, and answers each with one line:

    open                 start an exchange that needs no channel binding
    open CERTIFICATE     start one that needs the binding to this certificate (a DER file)
    step TOKEN           accept the client's next message, in base64

The answers are "ready", "token TOKEN", "accepted USER" and "refused REASON".
Usage: ntlm-acceptor.py USERS   with a file of lines DOMAIN:USER:PASSWORD
"""

import base64
import os
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes
import spnego
from spnego.channel_bindings import GssChannelBindings


def binding_to(path):
    """The channel binding of RFC 5929 section 4.1, computed with the cryptography package."""
    with open(path, "rb") as file:
        certificate = x509.load_der_x509_certificate(file.read())
    function = certificate.signature_hash_algorithm
    if function.name in ("md5", "sha1"):
        function = hashes.SHA256()
    return GssChannelBindings(application_data=b"tls-server-end-point:" + certificate.fingerprint(function))


def start(arguments):
    binding = binding_to(arguments[0]) if arguments else None
    return spnego.server(protocol="ntlm", channel_bindings=binding)


def step(context, token):
    try:
        answer = context.step(base64.b64decode(token, validate=True))
    except Exception as error:
        return "refused " + f"{type(error).__name__}: {error}".replace("\n", " ")
    if context.complete:
        return "accepted " + context.client_principal
    return "token " + base64.b64encode(answer).decode()


def main():
    os.environ["NTLM_USER_FILE"] = sys.argv[1]
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    context = None
    for line in sys.stdin:
        command, *arguments = line.split()
        if command == "open":
            context = start(arguments)
            answer = "ready"
        else:
            answer = step(context, arguments[0])
        print(answer, flush=True)


main()
