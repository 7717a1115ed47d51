# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""haproxy, lighttpd and Caddy: challenges, client certificates, redirects to https, codings and reloads."""

import base64

from apache import start_apache
from apache import page as apache_page
from apache import slow_origin
from loopback import find_program, free_ports, run
from rows import Log, delivered, expect, refused, sent_at_once
from sockets import BODY, Server, response


def new_place(scene, name, *pages):
    """Returns a new folder of a server, with pages below site and a long one."""
    place, text = scene.folder / name, f"served by {name}\n"
    for page in ("page.txt", *(f"{each}/page.txt" for each in pages)):
        (place / "site" / page).parent.mkdir(parents=True, exist_ok=True)
        (place / "site" / page).write_text(text)
    (place / "site/long.txt").write_text(text * 2000)
    return place, text


def write_both(place, certificate, key):
    """Writes a certificate and its key to server-both.pem of the folder."""
    (place / "server-both.pem").write_text(certificate.read_text() + key.read_text())


def upgrade(http, https):
    """The facts for a host whose default ports are these two."""
    return {"connect_to": [f"lab.test:80:127.0.0.1:{http}", f"lab.test:443:127.0.0.1:{https}"]}


def start_haproxy(scene):
    """haproxy; its origins are Apache and a server with a folded field."""
    haproxy, apache = find_program("haproxy"), start_apache(scene)
    place, text = new_place(scene, "haproxy")
    ports = free_ports("QUOTES BACKSLASH FORBIDDEN TOKEN OPTIONAL REQUIRED HTTP HTTPS RELOAD FOLDED REVERSE".split())
    write_both(place, *scene.server_key("RSA"))
    values = {"USER": scene.user, "PASSWORD": scene.password, "BEARER": scene.TOKEN, "APACHE": apache["plain"].rpartition(":")[2],
              "FOLDEDORIGIN": Server(lambda _: response("X: a\r\n b")).port, **ports}
    for name in ("haproxy", "haproxy-reload"):
        scene.fill(f"situations/{name}.cfg", place / f"{name}.cfg", **values)
    scene.servers.launch("haproxy", ports["REVERSE"], haproxy, "-db", "-f", place / "haproxy.cfg")
    reloading = (haproxy, "-db", "-f", place / "haproxy-reload.cfg")
    last = [scene.servers.launch("haproxy-reload", ports["RELOAD"], *reloading)]
    plain = {name: f"http://localhost:{port}/" for name, port in ports.items()}
    tls = {name: f"https://localhost:{port}/" for name, port in ports.items()}
    login = scene.login

    def reloaded(client):
        def reload():
            old = last[-1]
            last.append(scene.servers.launch(f"haproxy-{len(last)}", ports["RELOAD"], *reloading, "-sf", str(old.pid)))
            old.wait(10)

        urls = [f"{tls['RELOAD']}{client.name}/{number}" for number in range(20)]
        client.get(*urls[:10], slow_origin(0, reload), *urls[10:], wget2=None).delivers(text.encode() * 10 + BODY + text.encode() * 10)
        logs = [path.read_text().count(f"/{client.name}/") for path in scene.folder.glob("haproxy-*.output")]
        expect(sorted(logs)[-2:] == [10, 10], f"the servers before and after the reload received {sorted(logs)[-2:]} requests")

    def by_digest(client):
        log = Log(scene.folder / "haproxy.output")
        client.get(f"{plain['REVERSE']}digest/page.txt", **login).delivers(apache_page("digest"))
        expect(not any("Basic" in line for line in log.lines("/digest/", count=0)), "answered by Basic")

    return {
        "h01": delivered(plain["QUOTES"], text, **login),
        "h02": delivered(plain["BACKSLASH"], text, **login),
        "h03": sent_at_once(plain["FORBIDDEN"], text, **login),
        "h04": delivered(plain["TOKEN"], text, token=scene.TOKEN),
        "h05": delivered(tls["OPTIONAL"], "served to client\n", cert=scene.identity),
        "h06": delivered(tls["REQUIRED"], text, cert=scene.identity),
        "h07": refused(tls["REQUIRED"], "certificate", status=4),
        "h08": delivered("http://lab.test/", text, ca=scene.folder / "ca.pem", **upgrade(ports["HTTP"], ports["HTTPS"]), **login),
        "h09": reloaded,
        "h10": delivered(plain["FOLDED"], BODY),
        "h11": by_digest,
    }


def start_lighttpd(scene):
    """lighttpd, and the same with a clock that is 2,000 times as fast, so that a nonce expires in 0.3 seconds."""
    lighttpd = find_program("lighttpd")
    # Not the program faketime, which does not pass on the signal that ends the server.
    clock = ("env", "LD_PRELOAD=/usr/$LIB/faketime/libfaketime.so.1", "FAKETIME=+0 x2000", "FAKETIME_DONT_FAKE_MONOTONIC=1")
    place, text = new_place(scene, "lighttpd", "quotes", "both", "sha256", "digest-quotes")
    write_both(place, *scene.server_key("RSA"))
    (place / "users").write_text(f"{scene.user}:{scene.password}\n")
    ports = free_ports(["PLAIN", "TLS", "FASTPLAIN", "FASTTLS"])
    for prefix in ("", "FAST"):
        name = f"lighttpd{prefix.lower()}"
        scene.fill("situations/lighttpd.conf", place / f"{name}.conf", NAME=name, PLAIN=ports[f"{prefix}PLAIN"],
                   TLS=ports[f"{prefix}TLS"])
        scene.servers.launch(name, ports[f"{prefix}TLS"], *(clock if prefix else ()), lighttpd, "-D", "-f", place / f"{name}.conf")
    origin, fast, login = f"http://localhost:{ports['PLAIN']}", f"http://localhost:{ports['FASTPLAIN']}", scene.login

    def both_digests(client):
        log = Log(place / "lighttpd.log")
        client.get(f"{origin}/both/page.txt", **login).delivers(text)
        expect(log.lines("/both/", " 200 ", "SHA-256"), "answered by MD5")

    def expired(client):
        url, log = f"{fast}/both/page.txt", Log(place / "lighttpdfast.log")
        client.get(url, slow_origin(1), f"{url}?2", wget2=None, **login).delivers(text.encode() + BODY + text.encode())
        expect(len(log.lines(" 401 ", count=2)) >= 2, "no nonce expired")

    def resumed(client):
        file, whole = client.folder / "long.txt", (place / "site/long.txt").read_bytes()
        file.write_bytes(whole[:-10])
        client.get(f"{origin}/long.txt", resume=True, output="long.txt").ends(0)
        expect(file.read_bytes() == whole, "the file differs")

    return {
        "l01": delivered(f"{origin}/quotes/page.txt", text, **login),
        "l02": both_digests,
        "l03": delivered(f"{origin}/sha256/page.txt", text, **login),
        # lighttpd reads the realm of an answer to its first quote, so it rejects every client.
        "l04": refused(f"{origin}/digest-quotes/page.txt", 'Lab "2"', status=4, **login),
        "l05": expired,
        "l06": delivered(f"https://localhost:{ports['TLS']}/page.txt", text, cert=scene.identity),
        "l07": delivered(f"{origin}/long.txt", text * 2000),
        "l08": resumed,
    }


def start_caddy(scene):
    """Caddy, with its own redirect from http to https for lab.test."""
    caddy = find_program("caddy")
    place, text = new_place(scene, "caddy")
    ports = free_ports("ADMIN HTTP HTTPS PLAIN REQUIRED REQUESTED ED25519 RELOAD".split())
    hashed = (scene.folder / "htpasswd").read_text().strip().partition(":")[2]
    basic = base64.b64encode(f"{scene.user}:{scene.password}".encode()).decode()
    scene.server_key("RSA")
    scene.server_key("Ed25519")
    scene.fill("situations/Caddyfile", place / "Caddyfile", USER=scene.user, HASH=hashed, BASIC=basic, BEARER=scene.TOKEN, **ports)
    configuration = ("--adapter", "caddyfile", "--config", place / "Caddyfile")
    scene.servers.launch("caddy", ports["PLAIN"], caddy, "run", *configuration)
    plain, tls = f"http://localhost:{ports['PLAIN']}", {name: f"https://localhost:{port}/" for name, port in ports.items()}
    login = scene.login

    def reloaded(client):
        def reload():
            run(caddy, "reload", "--force", "--address", f"127.0.0.1:{ports['ADMIN']}", *configuration)

        url = tls["RELOAD"]
        client.get(url, f"{url}2", slow_origin(0.5, reload), f"{url}3", f"{url}4", wget2=None).delivers(
            text.encode() * 2 + BODY + text.encode() * 2)

    return {
        "c01": delivered(f"{plain}/basic", text, **login),
        "c02": sent_at_once(f"{plain}/bare", text, status=4, **login),
        "c03": delivered(f"{plain}/hidden", text, token=scene.TOKEN),
        "c04": delivered(tls["REQUIRED"], "served to CN=client\n", cert=scene.identity),
        "c05": delivered(tls["REQUESTED"], "served to CN=client\n", cert=scene.identity),
        "c06": delivered(tls["ED25519"], text),
        "c07": delivered("http://lab.test/", text, ca=scene.folder / "ca.pem", **upgrade(ports["HTTP"], ports["HTTPS"]), **login),
        "c08": delivered(f"{plain}/long.txt", text * 2000),
        "c09": reloaded,
        "c10": delivered(f"http://bücher.localhost:{ports['PLAIN']}/", "served by bücher\n"),
    }


SERVERS = {"haproxy": start_haproxy, "lighttpd": start_lighttpd, "Caddy": start_caddy}
