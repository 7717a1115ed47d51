# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""h2o, nghttpd and hypercorn: HTTP/2 with a shutdown, with limits, and with responses that other servers do not give."""

import base64
import hashlib
import pathlib
import threading

from apache import slow_origin
from clients import PYTHON
from loopback import find_program, free_ports
from rows import Log, delivered, either, expect, refused, sent_at_once
from sockets import BODY
from web_servers import new_place


def start_h2o(scene):
    """h2o, and for each client another one that is shut down."""
    h2o = find_program("h2o")
    place, text = new_place(scene, "h2o")
    certificate, key = scene.server_key("RSA")
    ports = free_ports(["site", "ours", "curl", "wget2", "requests"])
    hashed = base64.b64encode(hashlib.sha1(scene.password.encode()).digest()).decode()
    (place / "htpasswd").write_text(f"{scene.user}:{{SHA}}{hashed}\n")
    account = scene.give_away(place)
    processes = {}
    for name, port in ports.items():
        scene.fill("situations/h2o.conf", place / f"{name}.conf", NAME=name, CERTIFICATE=certificate, KEY=key, PORT=port,
                   ACCOUNT=f"user: {account[0]}" if account else "")
        processes[name] = scene.servers.launch(f"h2o-{name}", port, h2o, "-m", "worker", "-c", place / f"{name}.conf")
    url = {name: f"https://localhost:{port}" for name, port in ports.items()}

    def shutdown(client):
        timer = threading.Timer(0.5, processes[client.name].terminate)
        client.get(slow_origin(0, timer.start), f"{url[client.name]}/slow/long.txt").delivers(BODY + text.encode() * 2000)

    names = [f"{name}:{ports['site']}:127.0.0.1" for name in ("lab.test", "other.test")]
    misdirected = [f"https://{name}.test:{ports['site']}/misdirected" for name in ("lab", "other")]
    return {
        "o01": delivered([f"{url['site']}/page.txt?{number}" for number in range(100)], text * 100),
        "o02": shutdown,
        "o03": delivered(f"{url['site']}/password/page.txt", text, **scene.login),
        "o04": delivered(f"{url['site']}/long.txt", text * 2000),
        "o05": delivered(misdirected, "".join(f"served to {name}.test:{ports['site']}\n" for name in ("lab", "other")), resolve=names),
    }


def start_nghttpd(scene):
    """nghttpd, once for each option."""
    nghttpd = find_program("nghttpd")
    place, text = new_place(scene, "nghttpd")
    options = {"tls": (), "plain": ("--no-tls",), "verify": ("--verify-client",), "early": ("--early-response",), "one": ("-m", "1")}
    ports = free_ports(options)
    for number in range(20):
        (place / f"site/{number}.txt").write_text(f"{number} {text}")
    (place / "upload").write_bytes(b"x" * 8_000_000)
    for name, words in options.items():
        files = () if name == "plain" else (scene.folder / "server.key", scene.folder / "server.pem")
        scene.servers.launch(
            f"nghttpd-{name}", ports[name], nghttpd, "-a", "127.0.0.1", "-d", place / "site", *words, str(ports[name]), *files)
    url = {name: f"https://localhost:{port}" for name, port in ports.items()}
    plain = f"http://localhost:{ports['plain']}/page.txt"
    prior_knowledge = {"ours": "--http2", "curl": "--http2-prior-knowledge", "wget2": None, "requests": None}

    def parallel(client):
        (client.folder / "out").mkdir()
        urls = (f"{url['one']}/{number}.txt" for number in range(20))
        client.get(*urls, output_dir="out", ours="--parallel", curl="--parallel").ends(0)
        for number in range(20):
            file = client.folder / f"out/{number}.txt"
            expect(file.exists() and file.read_text() == f"{number} {text}", f"{file.name} is missing or differs")

    return {
        "g01": delivered(f"{url['tls']}/page.txt", text),
        "g02": either(delivered(plain, text, **prior_knowledge), refused(plain, "HTTP/2", **prior_knowledge)),
        "g03": delivered(f"{url['verify']}/page.txt", text, cert=scene.identity),
        "g04": delivered(f"{url['early']}/page.txt", text, upload=place / "upload"),
        "g05": parallel,
    }


def start_hypercorn(scene):
    """hypercorn with the application of asgi_app.py, and once more with client certificates."""
    place, text = new_place(scene, "hypercorn")
    ports = free_ports(["plain", "tls", "verify"])
    stored = place / "stored"
    (place / "upload").write_bytes(b"x" * 8 * 1024 * 1024)
    environment = ("env", f"USER_NAME={scene.user}", f"PASSWORD={scene.password}", f"STORED={stored}", "PYTHONDONTWRITEBYTECODE=1",
                   f"PYTHONPATH={pathlib.Path(__file__).parent}")
    command = (*environment, PYTHON, "-m", "hypercorn", "--certfile", scene.folder / "server.pem", "--keyfile", scene.folder / "server.key",
               "asgi_app:app", "--bind")
    at = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
    scene.servers.launch("hypercorn", ports["plain"], *command, at["tls"], "--insecure-bind", at["plain"])
    scene.servers.launch("hypercorn-verify", ports["verify"], *command, at["verify"], "--ca-certs", scene.folder / "ca.pem",
                         "--verify-mode", "CERT_REQUIRED")
    plain, tls = f"http://localhost:{ports['plain']}", f"https://localhost:{ports['tls']}"
    login = scene.login

    def uploaded(client):
        target = f"/upload/{client.name}"
        client.get(tls + target, upload=place / "upload", **login).delivers(text)
        expect(len(Log(stored, start=0).lines(f"{target} {8 * 1024 * 1024}")) == 1, "not stored once")

    def api(client):
        sent_at_once(f"{plain}/api", text, status=4, **login)(client)
        if client.is_ours:
            expect(b"no login" in client.get(f"{plain}/api", **login).output, "the JSON body is not delivered")

    def broken(client):
        client.get(f"{tls}/broken", output="file").refuses()
        expect(not (client.folder / "file").exists(), "an incomplete file")

    def terminal(client):
        client.get(f"{plain}/windows", terminal=True).delivers(lambda body: "100 € für Grüße" in body.decode(errors="replace"))

    return {
        "y01": delivered(f"{tls}/trailers", text),
        "y02": delivered(f"{tls}/hints", text),
        "y03": api,
        "y04": delivered(f"{plain}/md5-sess", text, **login),
        "y05": delivered(f"{plain}/sha512", text, user="jürgen", password=scene.password),
        "y06": uploaded,
        "y07": broken,
        "y08": delivered(f"https://localhost:{ports['verify']}/", text, cert=scene.identity),
        "y09": delivered(f"{plain}/codings", text),
        "y10": terminal,
    }


SERVERS = {"h2o": start_h2o, "nghttpd": start_nghttpd, "hypercorn": start_hypercorn}
