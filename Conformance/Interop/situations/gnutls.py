# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""gnutls-serv: single versions, groups, suites and signature algorithms, and uncommon keys."""

import ssl

from loopback import find_program, free_ports, run
from rows import AUTOMATIC, delivered, either, refused
from sockets import BODY, Last, Server, response

TLS12, TLS13 = "NORMAL:-VERS-ALL:+VERS-TLS1.2", "NORMAL:-VERS-ALL:+VERS-TLS1.3"
CERTIFICATE = ("--require-client-cert", "--verify-client-cert")
# The type of the server's key, the priorities and further options of gnutls-serv.
OPTIONS = {
    "t01": ("RSA", f"{TLS12}:-KX-ALL:+ECDHE-RSA"),
    "t02": ("RSA", f"{TLS12}:-KX-ALL:+DHE-RSA", "--dhparams"),
    "t03": ("Ed25519", "NORMAL"),
    "t04": ("RSA-PSS", TLS13),
    "t05": ("RSA-PSS", TLS12),
    "t06": ("P-521", "NORMAL:-GROUP-ALL:+GROUP-SECP521R1"),
    "t07": ("RSA", f"{TLS13}:-GROUP-ALL:+GROUP-FFDHE3072"),
    "t08": ("RSA", "NORMAL", *CERTIFICATE),
    "t09": ("RSA", "NORMAL:-SIGN-ALL:+SIGN-RSA-PSS-RSAE-SHA256", *CERTIFICATE),
    "t10": ("RSA", f"{TLS12}:-CIPHER-ALL:+AES-256-CBC:-MAC-ALL:+SHA1"),
}


def start_gnutls(scene):
    program, ports = find_program("gnutls-serv"), free_ports(OPTIONS)
    parameters = scene.folder / "dh.pem"
    parameters.write_text(run("openssl", "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:ffdhe2048"))
    for name, (kind, priority, *words) in OPTIONS.items():
        certificate, key = scene.server_key(kind)
        scene.servers.launch(
            f"gnutls-{name}", ports[name], program, "--quiet", "--http", "--port", str(ports[name]), "--priority", priority,
            "--x509cafile", scene.folder / "ca.pem", "--x509certfile", certificate, "--x509keyfile", key,
            *words, *([parameters] if words == ["--dhparams"] else ()))
    url = {name: f"https://localhost:{port}/" for name, port in ports.items()}
    rsa = scene.client_key("RSA")
    encrypted = scene.folder / "encrypted.pem"
    key = run("openssl", "rsa", "-in", rsa, "-traditional", "-aes256", "-passout", "pass:situations")
    encrypted.write_text(run("openssl", "x509", "-in", rsa) + key)

    def page(body):
        return b"GnuTLS" in body

    return {
        **{name: delivered(url[name], page, **AUTOMATIC) for name in ("t01", "t02", "t03", "t04", "t05", "t06", "t10")},
        "t07": either(delivered(url["t07"], page), refused(url["t07"], "group")),
        "t08": delivered(url["t08"], page, cert=scene.client_key("Ed25519")),
        "t09": delivered(url["t09"], page, cert=[scene.client_key("P-521"), encrypted], passphrase="situations", says=("CN=client-RSA",),
                         curl=None, wget2=None, requests=None),
        "t11": delivered(TLSServer(scene).url, BODY),
    }


class TLSServer(Server):
    """A server that ends each connection after its response without close_notify, as if it had been killed."""

    def __init__(self, scene):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(scene.folder / "server.pem", scene.folder / "server.key")
        super().__init__(lambda _: Last(response()))
        self.url = self.url.replace("http:", "https:")

    def get_request(self):
        connection, address = super().get_request()
        return self.context.wrap_socket(connection, server_side=True), address


SERVERS = {"gnutls-serv": start_gnutls}
