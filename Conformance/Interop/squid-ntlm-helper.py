# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""pyspnego with squid's protocol for NTLM and Negotiate helpers; each connection is one helper.

squid sends "YR TOKEN" with a client's first message and "KK TOKEN" with its last; the answers are "TT TOKEN",
"AF USER" (for Negotiate "AF TOKEN USER"), "NA REASON" and, if there is no exchange to continue, "BH REASON".
Usage: squid-ntlm-helper.py PORT USERS [negotiate]   with a file of lines DOMAIN:USER:PASSWORD
"""

import base64
import os
import socketserver
import sys
import urllib.parse

import spnego


class Helper(socketserver.StreamRequestHandler):
    context = None

    def handle(self):
        for line in self.rfile:
            kind, _, token = line.decode("ascii").strip().partition(" ")
            self.wfile.write(self.answer(kind, token).encode() + b"\n")

    def answer(self, kind, token):
        if kind == "YR":
            self.context = spnego.server(protocol=PROTOCOL)
        if self.context is None or kind not in ("YR", "KK"):
            return "BH no exchange to go on with"
        try:
            message = self.context.step(base64.b64decode(token, validate=True))
        except Exception as error:
            self.context = None
            return "NA " + ("" if PROTOCOL == "ntlm" else "= ") + f"{type(error).__name__}: {error}".replace("\n", " ")
        if self.context.complete:
            token = "" if PROTOCOL == "ntlm" else (base64.b64encode(message).decode() if message else "=") + " "
            return f"AF {token}" + urllib.parse.quote(self.context.client_principal, safe="\\@")
        return "TT " + base64.b64encode(message).decode()


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


PROTOCOL = (sys.argv[3:] or ["ntlm"])[0]
os.environ["NTLM_USER_FILE"] = sys.argv[2]
Server(("127.0.0.1", int(sys.argv[1])), Helper).serve_forever()
