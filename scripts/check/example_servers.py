# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""The servers for the programs of Examples: the lab, and an https server for what the lab lacks."""

import base64
import contextlib
import email.utils
import hmac
import http.server
import json
import ssl
import subprocess
import threading
import time
import urllib.parse

IMAGE = bytes(number * number >> 9 & 0xFF for number in range(4 << 20))
TOKEN = "letmein"
KEY = b"0123456789abcdef0123456789abcdef"


@contextlib.contextmanager
def lab(command, folder):
    """Starts the lab, which writes its certificates to the folder, and provides the URLs of its servers by name."""
    process = subprocess.Popen([command, "lab", "--json", "--directory", folder], stdout=subprocess.PIPE, text=True)
    try:
        catalogue = ""
        # The catalogue ends with the only line that consists of a closing brace.
        while not catalogue.endswith("\n}\n") and (line := process.stdout.readline()):
            catalogue += line
        servers = json.loads(catalogue)["servers"]
        yield {each["name"]: each["url"] for each in servers}
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def https(folder):
    """Starts the https server, writes its self-signed certificate to server.pem in the folder, and provides its URL."""
    server = Server(("127.0.0.1", 0), Handler)
    server.folder, server.bolts = folder, {"4": {"name": "M4", "size": 4}}
    server.is_busy, server.texts = True, {}
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
    is_slow = True

    def renew(self):
        """Uses a new key and certificate for later connections."""
        certificate, key = self.folder / "server.pem", self.folder / "server-key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
             "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
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

    def get_slow(self, name):
        """Answers the first request not at all, and the next one like the resource without "slow/"."""
        if self.server.is_slow:
            self.server.is_slow = False
            self.wait_for_client()
        else:
            self.get_bolts(name.removeprefix("bolts/"))

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
            self.wait_for_client()

    def get_events(self, _):
        """Sends three events in two streams: the first stream is cut off in its last event."""
        last = self.headers.get("Last-Event-ID")
        streams = {None: "retry: 10\n\nid: 1\ndata: started\n\nid: 2\nevent: alarm\ndata: 80 °C\n\nid: 3\ndata: sto",
                   "2": "id: 3\ndata: stopped\n\n"}
        if last not in streams:
            self.answer(204)
        else:
            self.answer(200, "text/event-stream", streams[last], length=None if last else 1000)
            self.close_connection = True

    def get_bolts(self, name):
        if self.has_token():
            if name in self.server.bolts:
                self.answer(200, "application/json", json.dumps(self.server.bolts[name]))
            else:
                self.not_found(name)

    def get_busy(self, _):
        """Rejects the first request."""
        if self.server.is_busy:
            self.answer(503, fields={"Retry-After": "0"})
        else:
            self.answer(200, "text/plain", "No longer busy\n")
        self.server.is_busy = False

    def get_silent(self, _):
        """Sends nothing until the client closes the connection."""
        self.rfile.read(1)
        self.close_connection = True

    def get_stock(self, _):
        if self.headers.get("Authorization") == f"Basic {base64.b64encode(b'shop:open sesame').decode()}":
            self.answer(200, "text/plain", "Stock of the shop\n")
        else:
            self.answer(401, "text/plain", "A password is required.\n", {"WWW-Authenticate": 'Basic realm="shop"'})

    def get_login(self, _):
        self.answer(200, "text/html", "<form method=post><input name=user><input name=password type=password></form>")

    def get_orders(self, _):
        if "login=mary" in self.headers.get("Cookie", ""):
            self.answer(200, "text/plain", "Orders of mary\n")
        else:
            self.answer(302, fields={"Location": "/login"})

    def post_login(self):
        form = urllib.parse.parse_qs(self.body().decode())
        if form == {"user": ["mary"], "password": ["countersign"]}:
            self.answer(303, fields={"Location": "/orders", "Set-Cookie": "login=mary; Secure; HttpOnly; Max-Age=3600"})
        else:
            self.answer(403, "text/plain", "The password is wrong.\n")

    def get_signed(self, name):
        if self.is_signed(b""):
            self.answer(200, "text/plain", self.server.texts.get(name, ""))

    def put_signed(self, name):
        body = self.body()
        if self.is_signed(body):
            self.server.texts[name] = body.decode()
            self.answer(201)

    def is_signed(self, body):
        """Returns whether the method, URL, date and body have the right signature, and otherwise answers."""
        date = self.headers.get("Date", "")
        text = f"{self.command}\nhttps://{self.headers['Host']}{self.path}\n{date}\n".encode() + body
        signature = base64.b64encode(hmac.digest(KEY, text, "sha256")).decode()
        age = abs(time.time() - email.utils.parsedate_to_datetime(date).timestamp()) if date else 3600
        if self.headers.get("Authorization") == f"HMAC shop:{signature}" and age < 60:
            return True
        self.answer(401, "text/plain", "The signature is wrong.\n")
        return False

    def do_POST(self):
        if self.path == "/login":
            self.post_login()
            return
        value = json.loads(self.body())
        if self.has_token():
            self.server.bolts[str(value["size"])] = value
            self.answer(201, "application/json", json.dumps(value))

    def do_PUT(self):
        if self.path.startswith("/signed/"):
            self.put_signed(self.path.removeprefix("/signed/"))
            return
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

    def wait_for_client(self):
        """Waits until the client closes the connection."""
        self.rfile.read(1)
        self.close_connection = True

    def has_token(self):
        if self.headers.get("Authorization") == f"Bearer {TOKEN}":
            return True
        self.answer(401, "application/json", '{"problem": "The token is wrong."}', {"WWW-Authenticate": 'Bearer error="invalid_token"'})
        return False

    def not_found(self, _):
        self.answer(404, "application/json", '{"problem": "There is no such resource."}')

    def answer(self, status, kind=None, text="", fields=(), length=None):
        body = text.encode()
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        if status != 204:
            self.send_header("Content-Length", str(length or len(body)))
        for name, value in dict(fields).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Prints nothing."""
