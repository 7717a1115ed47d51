# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Servers whose answers are written byte by byte, most of them malformed."""

import base64
import socketserver
import threading

from loopback import free_port
from rows import delivered


class Server(socketserver.ThreadingTCPServer):
    """A server that answers each request with `answer(request)`: bytes, after which the connection stays open unless they are `Last`."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, answer, banner=b""):
        self.answer, self.banner, self.requests = answer, banner, []
        self.port = free_port()
        super().__init__(("127.0.0.1", self.port), Connection)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://localhost:{self.port}/"

    def handle_error(self, *_):
        """A client that disconnects is not an error."""


class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(self.server.banner)
        count = 0
        while request := Request.read(self.rfile):
            count += 1
            request.count, request.connection = count, self.client_address
            self.server.requests.append(request)
            answer = self.server.answer(request)
            self.wfile.write(answer)
            if isinstance(answer, Last):
                return


class Request:
    """A request: its first line, its fields with names in lower case, its number in its connection."""

    @staticmethod
    def read(file):
        lines = []
        while (line := file.readline(65536).rstrip(b"\r\n")) or not lines:
            if not line:
                return None
            lines.append(line.decode("latin-1"))
        request = Request()
        request.line = lines[0]
        request.fields = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in lines[1:])}
        request.body = file.read(int(request.fields.get("content-length", 0)))
        return request


class Last(bytes):
    """An answer after which the server closes the connection."""


BODY = b"the body\n"


def response(*fields, status="200 OK", body=BODY):
    """Returns a response with a Content-Length; the fields may be bytes."""
    lines = (f"HTTP/1.1 {status}", *fields, f"Content-Length: {len(body)}", "", "")
    return b"\r\n".join(each if isinstance(each, bytes) else each.encode() for each in lines) + body


def start_sockets(scene):
    def always(*answers):
        return Server(lambda _: answers[0]).url

    return {
        "m01": delivered(always(response("X: a\r\n b")), BODY),
        "m11": delivered(always(response("Content-Length: 9")), BODY),
    }


SERVERS = {"malformed sockets": start_sockets}
