# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""A SOAP service made with spyne, for the interop tests. It serves SOAP 1.1 at /11 and SOAP 1.2 at /12.

At one TLS port it requires a user and a password (Basic), at the other a client certificate.
Usage: soap-server.py FOLDER BASIC-PORT CERTIFICATE-PORT USER PASSWORD   (the folder has server.pem, server.key, ca.pem)
       soap-server.py --wsdl                                             (prints the description and ends)
"""

import base64
import collections.abc
import hmac
import io
import logging
import socketserver
import ssl
import sys
import threading
import wsgiref.simple_server

for name in ("MutableMapping", "MutableSequence", "MutableSet", "Mapping", "Sequence", "Callable", "Iterable"):
    if not hasattr(collections, name):
        setattr(collections, name, getattr(collections.abc, name))

from spyne import (  # noqa: E402
    Application, Array, Boolean, ByteArray, ComplexModel, Date, DateTime, Decimal, Double, Duration, Enum, Fault, Integer,
    Integer32, Service, Unicode, XmlAttribute, rpc)
from spyne.protocol.soap import Soap11, Soap12, mime  # noqa: E402
from spyne.server.wsgi import WsgiApplication  # noqa: E402

# spyne 2.14 extracts the envelope of a message with attachments as a str, which lxml refuses if it declares an encoding.
join = mime._join_attachment
mime._join_attachment = lambda namespace, identifier, envelope, *rest: join(
    namespace, identifier, envelope.encode() if isinstance(envelope, str) else envelope, *rest)

NAMESPACE = "urn:countersign:library"
Genre = Enum("fiction", "non-fiction", "poetry", type_name="Genre")


class Author(ComplexModel):
    __namespace__ = NAMESPACE
    name = Unicode(min_occurs=1, nillable=False)
    born = Date(min_occurs=0)


class Book(ComplexModel):
    __namespace__ = NAMESPACE
    id = XmlAttribute(Integer32, use="required")
    title = Unicode(min_occurs=1, nillable=False)
    authors = Author.customize(min_occurs=0, max_occurs="unbounded", nillable=False)
    genre = Genre.customize(min_occurs=1, nillable=False)
    price = Decimal(min_occurs=0)
    weight = Double(min_occurs=0)
    lent = Boolean(min_occurs=1, nillable=False)
    returned = DateTime(min_occurs=0)
    loan = Duration(min_occurs=0)
    remark = Unicode(min_occurs=0, nillable=True)
    cover = ByteArray(min_occurs=0)


class NoSuchBook(Fault):
    __namespace__ = NAMESPACE

    def __init__(self, book):
        super().__init__("Client.NoSuchBook", f"There is no book {book}", detail={"book": book})


class Library(Service):
    @rpc(Book, _returns=Book)
    def echo(ctx, book):
        """Returns the book that it was given."""
        return book

    @rpc(Unicode(nillable=False), _returns=Unicode)
    def repeat(ctx, text):
        """Returns the text that it was given."""
        return text

    @rpc(Integer(nillable=False), _returns=Book, _throws=NoSuchBook)
    def find(ctx, id):
        """Finds a book by its number; there is one, 7."""
        if id != 7:
            raise NoSuchBook(id)
        return Book(id=7, title="Moby Dick", authors=[Author(name="Herman Melville")], genre="fiction", lent=False)

    @rpc(Integer(nillable=False), _returns=Array(Unicode))
    def titles(ctx, count):
        """Returns so many titles."""
        return [f"Title {number} & <more>" for number in range(count)]

    @rpc()
    def ping(ctx):
        """Returns nothing."""


def application(protocol):
    return WsgiApplication(Application(
        [Library], tns=NAMESPACE, name="Library", in_protocol=protocol(validator="lxml"), out_protocol=protocol()))


class Guard:
    """Passes requests to the service of their path, if the user and the password are right."""

    def __init__(self, credential):
        self.services = {"/11": application(Soap11), "/12": application(Soap12)}
        self.credential = credential

    def __call__(self, environment, start_response):
        if self.credential:
            given = environment.get("HTTP_AUTHORIZATION", "")
            if not hmac.compare_digest(given, self.credential):
                start_response("401 Unauthorized", [
                    ("WWW-Authenticate", 'Basic realm="library"'), ("Content-Length", "0")])
                return [b""]
        service = self.services.get(environment["PATH_INFO"])
        if not service:
            start_response("404 Not Found", [("Content-Length", "0")])
            return [b""]
        return service(environment, start_response)


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    """A server with a thread for each connection, so that a slow handshake does not delay other clients."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        """Ignores clients that disconnect."""


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


def serve(folder, port, guard):
    server = wsgiref.simple_server.make_server(
        "127.0.0.1", port, guard, server_class=Server, handler_class=Quiet)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/server.pem", f"{folder}/server.key")
    if not guard.credential:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(f"{folder}/ca.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


def description():
    body = io.BytesIO()
    service = application(Soap11)
    environment = {
        "REQUEST_METHOD": "GET", "PATH_INFO": "/", "QUERY_STRING": "wsdl", "SERVER_NAME": "library.example",
        "SERVER_PORT": "80", "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(), "SCRIPT_NAME": ""}
    for part in service(environment, lambda *arguments: None):
        body.write(part)
    return body.getvalue()


def main():
    logging.disable(logging.CRITICAL)
    if sys.argv[1:] == ["--wsdl"]:
        sys.stdout.buffer.write(description())
        return
    folder, basic, certificate, user, password = sys.argv[1:]
    credential = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
    # libxml2 prepares the types of schemas when the first one is read, and two threads that do so at once crash.
    guards = Guard(credential), Guard(None)
    threading.Thread(target=serve, args=(folder, int(certificate), guards[1]), daemon=True).start()
    serve(folder, int(basic), guards[0])


main()
