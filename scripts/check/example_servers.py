# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""The servers for the programs of Examples: the lab, and an https server for what the lab lacks."""

import contextlib
import http.server
import json
import ssl
import subprocess
import threading
import time

IMAGE = bytes(number * number >> 9 & 0xFF for number in range(4 << 20))
TOKEN = "letmein"


@contextlib.contextmanager
def lab(command, folder):
    """Starts the lab, which writes its certificates to the folder, and provides the URLs of its servers by name."""
    process = subprocess.Popen([command, "lab", "--json", "--directory", folder], stdout=subprocess.PIPE, text=True)
    try:
        # The catalogue ends with the only line that consists of a closing brace.
        servers = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")["servers"]
        yield {each["name"]: each["url"] for each in servers}
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def https(folder):
    """Starts the https server, writes its self-signed certificate to server.pem in the folder, and provides its URL."""
    server = Server(("127.0.0.1", 0), Handler)
    server.folder, server.bolts = folder, {"4": {"name": "M4", "size": 4}}
    server.renew()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"https://localhost:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def renew(self):
        """Uses a new key and certificate for later connections."""
        certificate, key = self.folder / "server.pem", self.folder / "server-key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
             "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
            check=True, stderr=subprocess.DEVNULL)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)

    def get_request(self):
        connection, address = super().get_request()
        # The thread of the connection performs the handshake.
        return self.context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, request, address):
        """Prints nothing, because programs are killed and refuse certificates on purpose."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        resource, _, name = self.path.strip("/").partition("/")
        getattr(self, f"get_{resource}", self.not_found)(name)

    def get_(self, _):
        self.answer(200, "text/plain", "Countersign examples\n")

    def get_renew(self, _):
        self.server.renew()
        self.answer(200, "text/plain", "The next connection gets a new key.\n")

    def get_slow(self, _):
        time.sleep(5)
        self.answer(200, "text/plain", "slow\n")

    def get_image(self, _):
        """Sends a half of the image and then no more, unless the client requests the rest."""
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))
        self.send_response(206 if start else 200)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(len(IMAGE) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(IMAGE) - 1}/{len(IMAGE)}")
        self.end_headers()
        self.wfile.write(IMAGE[start:] if start else IMAGE[:len(IMAGE) // 2])
        if not start:
            self.rfile.read(1)
            self.close_connection = True

    def get_events(self, _):
        """Sends three events in two streams: the first stream ends without its last event's blank line."""
        last = self.headers.get("Last-Event-ID")
        streams = {None: "retry: 10\n\nid: 1\ndata: started\n\nid: 2\nevent: alarm\ndata: 80 °C\n\nid: 3\ndata: sto",
                   "2": "id: 3\ndata: stopped\n\n"}
        if last not in streams:
            self.answer(204)
        else:
            self.answer(200, "text/event-stream", streams[last])

    def get_measurements(self, _):
        lines = [{"sensor": "boiler", "temperature": degrees} for degrees in (61.5, 80)]
        self.answer(200, "application/x-ndjson", "".join(json.dumps(line) + "\n" for line in lines))

    def get_bolts(self, name):
        if self.has_token():
            if name in self.server.bolts:
                self.answer(200, "application/json", json.dumps(self.server.bolts[name]))
            else:
                self.not_found(name)

    def do_POST(self):
        value = json.loads(self.body())
        if self.has_token():
            self.server.bolts[str(value["size"])] = value
            self.answer(201, "application/json", json.dumps(value))

    def do_PUT(self):
        self.answer(201, "text/plain", f"{len(self.body())} bytes\n")

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def has_token(self):
        if self.headers.get("Authorization") == f"Bearer {TOKEN}":
            return True
        self.answer(401, "application/json", '{"problem": "The token is wrong."}', {"WWW-Authenticate": 'Bearer error="invalid_token"'})
        return False

    def not_found(self, _):
        self.answer(404, "application/json", '{"problem": "There is no such resource."}')

    def answer(self, status, kind=None, text="", fields=()):
        body = text.encode()
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        for name, value in dict(fields).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Prints nothing."""
