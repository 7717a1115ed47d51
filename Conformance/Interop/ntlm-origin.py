# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""An HTTP origin that authenticates each connection with NTLM, as real servers do, with pyspnego as the acceptor.

With the scheme Negotiate, it accepts NTLM messages with or without SPNEGO around them.
Over TLS the client must bind its response to our certificate; plain HTTP has no channel binding.
Every path returns the account's name; a refusal contains pyspnego's error. The log has a line for each request: port,
client's port, method, target, status, length of the body.
"""

import argparse
import base64
import hashlib
import http.server
import os
import socketserver
import ssl
import threading

import spnego
from spnego.channel_bindings import GssChannelBindings


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One handler serves one connection, so it contains the connection's state.
    context = None
    account = None
    refusal = "nothing said"

    def answer(self):
        self.proof = None
        challenges = self.authenticate(self.headers.get("Authorization", ""))
        length = self.take_body(wanted=challenges is None)
        text = f"{self.account if challenges is None else self.refusal}\n".encode()
        self.send_response(200 if challenges is None else 401)
        for challenge in challenges or ([self.proof] if self.proof else []):
            self.send_header("WWW-Authenticate", challenge)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(text)
        self.server.log(self, 200 if challenges is None else 401, length)

    do_GET = do_POST = do_PUT = answer

    def authenticate(self, field):
        """Accepts the client's message, and returns the challenges, or None if the client is accepted."""
        scheme, _, token = field.partition(" ")
        self.refusal = Origin.refusal
        if scheme not in self.server.schemes:
            return None if self.account and not field else self.server.schemes
        if self.account or self.context is None:
            self.account = None
            self.context = spnego.server(protocol=scheme.lower(), channel_bindings=self.server.binding)
        try:
            token = base64.b64decode(token, validate=True)
            if self.server.refuses_raw and token.startswith(b"NTLMSSP"):
                raise ValueError("a message without SPNEGO")
            message = self.context.step(token)
        except Exception as error:
            self.context, self.refusal = None, type(error).__name__
            return self.server.schemes
        answer = f"{scheme} {base64.b64encode(message).decode()}" if message else None
        if not self.context.complete:
            return [answer]
        self.account, self.context, self.proof = self.context.client_principal, None, answer
        return None

    def handle_expect_100(self):
        """Does not send 100 Continue yet, because a client is refused before a body is read."""
        return True

    def take_body(self, wanted):
        """Reads the body and returns its length, except if the client waits for 100 Continue in vain."""
        expects = self.headers.get("Expect", "").lower() == "100-continue"
        if expects and not wanted:
            self.close_connection = True
            return 0
        if expects:
            self.send_response_only(http.HTTPStatus.CONTINUE)
            self.end_headers()
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return self.take_chunks()
        return len(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def take_chunks(self):
        total = 0
        while size := int(self.rfile.readline().split(b";")[0], 16):
            total += len(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return total

    def log_request(self, *_):
        """The server's log contains the messages."""


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    lock = threading.Lock()

    def __init__(self, port, options, context=None, binding=None):
        super().__init__(("127.0.0.1", port), Origin)
        self.port, self.log_path, self.context, self.binding = port, options.log, context, binding
        self.schemes, self.refuses_raw = options.schemes, options.refuse_raw

    def finish_request(self, request, address):
        """Performs the handshake in the connection's thread, not in the accepting one."""
        if self.context:
            with self.context.wrap_socket(request, server_side=True) as wrapped:
                super().finish_request(wrapped, address)
        else:
            super().finish_request(request, address)

    def handle_error(self, request, address):
        """A client that disconnects is not an error."""

    def log(self, handler, status, length):
        line = f"{self.port} {handler.client_address[1]} {handler.command} {handler.path} {status} {length}\n"
        with self.lock, open(self.log_path, "a", encoding="utf-8") as file:
            file.write(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("users", "log", "plain", "tls", "certificate", "key"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--schemes", nargs="+", default=["NTLM"])
    parser.add_argument("--refuse-raw", action="store_true", help="refuse messages without SPNEGO")
    options = parser.parse_args()
    os.environ["NTLM_USER_FILE"] = options.users
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
    with open(options.certificate, encoding="ascii") as file:
        der = ssl.PEM_cert_to_DER_cert(file.read())
    # RFC 5929 section 4.1; the certificate is signed with SHA-256.
    binding = GssChannelBindings(application_data=b"tls-server-end-point:" + hashlib.sha256(der).digest())
    plain = Server(int(options.plain), options)
    threading.Thread(target=plain.serve_forever, daemon=True).start()
    Server(int(options.tls), options, context, binding).serve_forever()


main()
