# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Origins that accept NTLM, also as Negotiate, with pyspnego."""

import secrets

import peers
from clients import PYTHON
from loopback import free_ports
from rows import Log, delivered, expect, refused


def start_origin(scene, name, *arguments):
    """Starts an origin, and returns its URL without TLS and its URL with TLS."""
    ports = free_ports(["plain", "tls"])
    scene.servers.launch(
        f"ntlm-{name}", ports["tls"], PYTHON, peers.HERE / "ntlm-origin.py", "--users", scene.ntlm_users, "--log", log(scene, name),
        "--plain", str(ports["plain"]), "--tls", str(ports["tls"]), "--certificate", scene.folder / "server.pem",
        "--key", scene.folder / "server.key", *arguments)
    return f"http://localhost:{ports['plain']}/", f"https://localhost:{ports['tls']}/"


def log(scene, name):
    return scene.folder / f"ntlm-{name}.log"


def start_pyspnego(scene):
    scene.ntlm_python, scene.ntlm_users = PYTHON, scene.folder / "ntlm-users"
    password = secrets.token_hex(12)
    scene.ntlm_users.write_text(f"INTEROP:alice:{password}\n")
    own = peers.start_ntlm(scene)
    negotiate_plain, negotiate = start_origin(scene, "negotiate", "--schemes", "Negotiate")
    _, two = start_origin(scene, "two", "--schemes", "Negotiate", "NTLM")
    _, wrapped = start_origin(scene, "wrapped", "--schemes", "Negotiate", "--refuse-raw")
    login = {"user": "INTEROP\\alice", "password": password}
    wrong = {**login, "password": "another"}
    account = "INTEROP\\alice\n"

    def sent_once(url, path):
        """A failure after one message with the password: at most three requests."""
        def row(client):
            target = f"/wrong-{client.name}"
            client.get(url.rstrip("/") + target, **wrong).refuses(status=4)
            expect(len(Log(path, start=0).lines(target)) <= 3, "the password was sent again")
        return row

    return {
        "p01": delivered(own["ntlmTLS"], account, **login),
        "p02": delivered(own["ntlmPlain"], account, ntlm_plain=True, **login),
        "p03": refused(own["ntlmPlain"], "--allow-ntlm-over-plain-http", status=4, **login),
        "p04": refused(own["ntlmRelay"], status=4, **login),
        "p05": sent_once(own["ntlmTLS"], own["ntlmLog"]),
        "p06": delivered(negotiate, account, **login),
        "p07": delivered(two, account, **login),
        "p08": refused(negotiate_plain, "--allow-ntlm-over-plain-http", status=4, **login),
        "p09": delivered(wrapped, account, **login),
        "p10": sent_once(negotiate, log(scene, "negotiate")),
    }


SERVERS = {"pyspnego": start_pyspnego}
