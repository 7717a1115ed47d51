# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Servers whose answers are written byte by byte, most of them malformed."""

import base64
import gzip
import hashlib
import random
import re
import socketserver
import ssl
import subprocess
import threading
import zlib

from clients import HERE
from loopback import find_program, free_port
from rows import delivered, either, expect, refused, timed


class Server(socketserver.ThreadingTCPServer):
    """A server that answers each request with `answer(request)`; the connection stays open unless the bytes are `Last`."""

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
        # The first byte of a TLS record, to which web servers answer in plain text.
        if not self.server.banner and self.rfile.peek(1)[:1] == b"\x16":
            self.wfile.write(response(status="400 Bad Request"))
            return
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


BODY, PAGE = b"the body\n", b"the page of an error\n"
WHOLE = b"0123456789" * 20000


def response(*fields, status="200 OK", body=BODY):
    """Returns a response with a Content-Length; the fields may be bytes."""
    lines = (f"HTTP/1.1 {status}", *fields, f"Content-Length: {len(body)}", "", "")
    return b"\r\n".join(each if isinstance(each, bytes) else each.encode() for each in lines) + body



def basic(scene):
    """Returns whether a request has the login with Basic."""
    expected = "Basic " + base64.b64encode(f"{scene.user}:{scene.password}".encode()).decode()
    return lambda request: request.fields.get("authorization") == expected


def digest(scene, realm, nonce):
    """Returns whether a request has the login with Digest in MD5, and this realm and nonce."""
    def verify(request):
        given = dict(re.findall(r'(\w+)="?([^",]*)"?', request.fields.get("authorization", "")))
        method, target, _ = request.line.split(" ", 2)
        middle = [given[name] for name in ("nc", "cnonce", "qop")] if "qop" in given else []
        hashed = md5(md5(scene.user, realm, scene.password), nonce, *middle, md5(method, target))
        return request.fields.get("authorization", "").startswith("Digest ") and given.get("response") == hashed
    return verify


def md5(*parts):
    return hashlib.md5(":".join(parts).encode()).hexdigest()


def challenger(accepts, *challenges, status="401 Unauthorized"):
    """Returns the URL of a server that sends these challenges until a request is accepted."""
    field = "Proxy-Authenticate: " if status.startswith("407") else "WWW-Authenticate: "
    fields = [field.encode() + each.encode() for each in challenges]
    return Server(lambda request: response() if accepts(request) else response(*fields, status=status, body=PAGE)).url


def compressed(tool, *options, text=BODY):
    return subprocess.run((find_program(tool), *options), input=text, capture_output=True, check=True).stdout


def start_sockets(scene):
    def always(answer, **options):
        return Server(lambda _: answer, **options).url

    def coded(coding, body):
        return always(response(f"Content-Encoding: {coding}", body=body))

    def shows(url, name, value):
        """The body, and the field with this value in the head."""
        def row(client):
            client.get(url, ours="-D head").delivers(BODY)
            if client.is_ours:
                head = (client.folder / "head").read_text()
                expect(re.search(f"^{name}: {re.escape(value)}\r?$", head, re.MULTILINE), f"the head has no '{name}: {value}': {head}")
        return row

    def no_file(url, *patterns, **facts):
        """A failure, after which Countersign leaves no file."""
        def row(client):
            client.get(url, output="out", **facts).refuses(*patterns)
            expect(not client.is_ours or not (client.folder / "out").exists(), "there is a file")
        return row

    def rejected(*challenges, patterns=()):
        """The page of the response, and the reason, with exit status 4."""
        url = challenger(lambda _: False, *challenges)

        def row(client):
            result = client.get(url, **login).refuses(*patterns, status=4)
            expect(not client.is_ours or result.output == PAGE, f"another page: {result.output!r}")
            return result
        return row

    def twice(server, connections):
        """Two bodies of one client, over this number of connections."""
        def row(client):
            before = len(server.requests)
            client.get(server.url, server.url).delivers(BODY * 2)
            seen = {request.connection for request in server.requests[before:]}
            expect(len(seen) == connections, f"{len(seen)} connections")
        return row

    def smuggled(client):
        before = len(both_lengths.requests)
        result = client.get(both_lengths.url, both_lengths.url)
        if result.status != 0:
            return
        result.delivers(BODY * 2)
        expect(len({request.connection for request in both_lengths.requests[before:]}) == 2, "the connection was reused")

    def resumed(answer, *patterns):
        """A failed -C, which leaves the file as it was."""
        url = Server(answer).url

        def row(client):
            file, text = client.folder / "out", WHOLE[:100000]
            file.write_bytes(text)
            client.get(url, output="out", resume=True).refuses(*patterns)
            expect(file.exists() and file.read_bytes() == text, "the file was changed")
        return row

    def answer_range(request, *fields, first=None):
        start, end = re.match(r"bytes=(\d+)-(\d*)", request.fields.get("range", "bytes=0-")).groups()
        start, end = int(start) if first is None else first, int(end or len(WHOLE) - 1)
        return response(
            *fields, f"Content-Range: bytes {start}-{end}/{len(WHOLE)}", status="206 Partial Content", body=WHOLE[start:end + 1])

    def endless(client):
        rejected("," * 60000)(client)

    def second_is_closed(request):
        return Last() if request.count == 2 else response()

    def located(request):
        return response() if " /a%20b/%C3%BC " in request.line else response("Location: /a b/ü", status="302 Found", body=b"")

    login = scene.login
    is_basic = basic(scene)
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
    both_lengths = Server(lambda _: chunked + b"Content-Length: 5\r\n\r\n9\r\nthe body\n\r\n0\r\n\r\n")
    tls = start_tls(scene)
    gzip_body = gzip.compress(random.Random(1).randbytes(10000))
    deflater = zlib.compressobj(wbits=-15)
    return {
        "m01": shows(always(response("X: a\r\n b")), "X", "a b"),
        "m02": delivered(challenger(digest(scene, "x", "y"), 'Digest realm="x",\r\n\tnonce="y"'), BODY, **login),
        "m03": delivered(always(response("X: a\r\n   ")), BODY),
        "m04": refused(always(b"HTTP/1.1 200 OK\r\n X: a\r\nContent-Length: 9\r\n\r\n" + BODY)),
        "m05": delivered(always(b"HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\n12345"), "12345"),
        "m06": refused(always(response(b"X: a\rb"))),
        "m07": refused(always(Last(b"HTTP/1.1 200 OK\r\nContent-Length : 9\r\n\r\n" + BODY))),
        "m08": delivered(always(b"HTTP/1.1 200 OK\nContent-Length: 9\n\n" + BODY), BODY, ours="--allow-bare-line-feeds"),
        "m09": delivered(always(b"HTTP/1.1 200\r\nContent-Length: 9\r\n\r\n" + BODY), BODY),
        "m10": delivered(always(Last(b"HTTP/1.0 200 OK\r\n\r\n" + BODY)), BODY),
        "m11": delivered(always(response("Content-Length: 9")), BODY),
        "m12": refused(always(response("Content-Length: 8"))),
        "m13": smuggled,
        "m14": no_file(always(Last(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"))),
        "m15": no_file(always(Last(chunked + b"\r\n5\r\n12345\r\n"))),
        "m16": twice(Server(lambda _: response() + b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nevil\n"), 2),
        "m17": refused(always(response(b"X: a\0b"))),
        "m18": refused(always(response(*(f"X-{number}: {'x' * 1000}" for number in range(400)))), "larger"),
        "m19": delivered(always(b"HTTP/1.1 304 Not Modified\r\n\r\n"), b""),
        "m20": delivered(always(response(status="302 Found")), BODY),
        "m21": refused(always(response("Location: /", status="302 Found")), "redirect"),
        "m22": delivered(Server(located).url, BODY),
        "m23": refused(always(Last(), banner=b"SSH-2.0-OpenSSH_9.2p1\r\n"), "SSH"),
        "m24": refused(always(response()).replace("http:", "https:"), "http:", status=(1, 3)),
        "m25": refused(tls, "https:"),
        "m26": delivered([url := Server(second_is_closed).url, url], BODY * 2),
        "m27": rejected("realm=x", patterns=("cannot be read",)),
        "m28": delivered(challenger(is_basic, '?, Basic realm="x"'), BODY, **login),
        "m29": delivered(challenger(is_basic, "Basic realm=My Router"), BODY, **login),
        "m30": delivered(challenger(digest(scene, "x", "y"), 'Digest realm="x" nonce="y" qop="auth"'), BODY, **login),
        "m31": delivered(challenger(is_basic, "Basic realm=, charset="), BODY, **login),
        "m32": delivered(challenger(digest(scene, "a", "n"), 'Digest realm="a", realm="a", nonce="n"'), BODY, **login),
        "m33": rejected('Digest realm="x", nonce="a", nonce="b"', patterns=("nonce",)),
        "m34": delivered(challenger(is_basic, 'bAsIc REALM="x"'), BODY, **login),
        "m35": delivered(challenger(digest(scene, "", "n"), 'Digest nonce="n"'), BODY, **login),
        "m36": delivered(challenger(is_basic, 'Digest realm="x", nonce="n", algorithm=SHA3-256', 'Basic realm="x"'), BODY,
                         says=("SHA3-256",), **login),
        "m37": refused("http://localhost:9/", "malformed at byte", status=4, proxy_user=scene.user, proxy_password=scene.password,
                       proxy=challenger(lambda _: False, "realm=x", status="407 Proxy Authentication Required")),
        "m38": timed(endless),
        "m39": no_file(coded("gzip", gzip_body[:-2000])),
        "m40": delivered(coded("deflate", deflater.compress(BODY) + deflater.flush()), BODY),
        "m41": refused(coded("zstd", compressed("zstd", "--ultra", "--long=27", text=BODY * 9)), "window|memory|limit"),
        "m42": delivered(coded("zstd", compressed("zstd") + b"\x50\x2a\x4d\x18\x03\0\0\0abc" + compressed("zstd")), BODY * 2),
        "m43": either(delivered(url := coded("gzip", gzip.compress(BODY) + b"rubbish"), BODY), refused(url)),
        "m44": resumed(lambda request: answer_range(request, 'ETag: "1"', first=0)),
        "m45": resumed(lambda _: response('ETag: "1"', body=WHOLE), "does not send a part"),
        "m46": resumed(lambda request: answer_range(request, 'ETag: W/"1"'), "weak|ETag|validator"),
    }


def start_tls(scene):
    """Returns the http URL of a server that speaks TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(scene.folder / "server.pem", scene.folder / "server.key")
    server = Server(lambda _: response())
    server.finish_request = lambda request, address: Connection(context.wrap_socket(request, server_side=True), address, server)
    return server.url


def compare_challenges(scene):
    """Sends the fields of each row of challenge-heads.tsv to curl, and prints the rows in which it answers another scheme than ours."""
    file = HERE.parents[2] / "Tests/Client/ChallengesTests/challenge-heads.tsv"
    escapes = {"\\t": "\t", "\\v": "\v", "\\0": "\0", "\\x01": "\x01", "\\x7f": "\x7f"}
    rows = [line.split("\t") for line in file.read_text().splitlines()[1:]]
    server, others = Server(None), 0
    for _, fields, _, _, ours, reason in rows:
        for written, character in escapes.items():
            fields = fields.replace(written, character)
        answers = []

        def answer(request):
            answers.append(request.fields.get("authorization", "none").split(" ")[0].lower())
            challenges = [b"WWW-Authenticate: " + each.encode() for each in fields.split(" <LF> ")]
            return response(*challenges, status="401 Unauthorized", body=PAGE)

        server.answer = answer
        subprocess.run(("curl", "--silent", "--anyauth", "--user", f"{scene.user}:{scene.password}", server.url), capture_output=True)
        if answers[-1] != ours:
            others += 1
            print(f"{fields!r}: curl {answers[-1]}, ours {ours} ({reason})")
    print(f"{len(rows)} rows; curl answers another scheme in {others}")
    return 0


SERVERS = {"Malformed sockets": start_sockets}
