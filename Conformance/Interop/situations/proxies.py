# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""squid, dante and stunnel: proxies with unusual challenges, SOCKS 5, and TLS in front of a plain server."""

import os
import pathlib
import shutil

import peers
from apache import start_apache
from clients import PYTHON
from loopback import Authority, find_program, free_ports, run, unprivileged_user
from rows import AUTOMATIC, Log, both, delivered, either, expect, refused, timed
from sockets import BODY, Server, response


def start_squid(scene):
    """The servers of `peers.start_squid`, and one with unusual realms, a scheme that no client knows, and Negotiate that takes NTLM."""
    squid, place, apache = find_program("squid"), scene.folder / "squid-more", start_apache(scene)
    scene.ntlm_python, scene.ntlm_users = PYTHON, scene.folder / "squid-ntlm-users"
    scene.ntlm_users.write_text(f"INTEROP:{scene.user}:{scene.password}\n")
    common = peers.start_squid(scene)
    ports = free_ports("QUOTES BACKSLASH NEGOTIATE UNKNOWN REFUSED OPEN HELPER".split())
    place.mkdir()
    scene.write_digests(place / "htdigest", r"CORP\proxy")
    (place / "hosts").write_text("127.0.0.1 localhost\n")
    shutil.copy(peers.HERE / "squid-ntlm-relay", place / "ntlm-relay")
    account = scene.give_away(place)
    scene.fill(
        "situations/squid.conf", place / "squid.conf", HELPERS=peers.squid_helpers(squid),
        ACCOUNT=f"cache_effective_user {account[0]}" if account else "", **ports)
    scene.servers.launch(
        "squid-negotiate", ports["HELPER"], scene.ntlm_python, peers.HERE / "squid-ntlm-helper.py", str(ports["HELPER"]),
        scene.ntlm_users, "negotiate")
    scene.servers.launch("squid-more", ports["OPEN"], squid, "-N", "-f", place / "squid.conf")

    url, tls, page = f"{apache['plain']}/page.txt", f"{apache['tls']}/page.txt", "served from .\n"
    proxy = {name: f"http://localhost:{port}" for name, port in ports.items()}
    login = {"proxy_user": scene.user, "proxy_password": scene.password}
    domain_login = {"proxy_user": rf"INTEROP\{scene.user}", "proxy_password": scene.password, "ntlm_plain": True}

    def environment(client):
        log = Log(place / "access.log")
        variables = {"http_proxy": proxy["OPEN"], "https_proxy": proxy["OPEN"]}
        client.get(tls, environment=variables, requests="--trust-env").delivers(page)
        expect(not log.lines(f"{ports['OPEN']} ", "CONNECT", count=0), "the proxy was used for localhost")

    return {
        "s01": delivered(url, page, proxy=common["squidBasic"], **login),
        "s02": delivered(url, page, proxy=common["squidDigest"], **login),
        "s03": delivered(url, page, proxy=common["squidNTLM"], **domain_login),
        "s04": delivered(url, page, says=("digest",), proxy=common["squidTLS"], ours=f"--anchor {scene.folder}/ca.pem", **login),
        "s05": delivered(url, page, proxy=proxy["QUOTES"], **login),
        "s06": delivered(url, page, proxy=proxy["BACKSLASH"], **login),
        "s07": delivered(url, page, proxy=proxy["NEGOTIATE"], **domain_login),
        "s08": refused(url, r"\bToken\b", status=4, proxy=proxy["UNKNOWN"], **login),
        "s09": refused(tls, "403", proxy=proxy["REFUSED"]),
        "s10": delivered(url, page, proxy=f"localhost:{ports['OPEN']}"),
        "s11": environment,
    }


def start_dante(scene):
    """dante, once for each rule. Its users and hosts are those of libnss_wrapper, because it knows no other file."""
    program, account, place = find_program("danted", "sockd"), unprivileged_user(), scene.folder / "dante"
    ports = free_ports(["none", "username", "block"])
    place.mkdir()
    origin = Server(lambda _: response())
    lines = {
        "passwd": f"{scene.user}:x:12345:12345::/nonexistent:/bin/false\n", "group": f"{scene.user}:x:12345:\n",
        "hosts": "127.0.0.1 localhost www.lab.localhost\n",
        "shadow": f"{scene.user}:{run('openssl', 'passwd', '-6', '-stdin', text=scene.password).strip()}:19000:0:99999:7:::\n",
    }
    for name, text in lines.items():
        (place / name).write_text(text + (pathlib.Path(f"/etc/{name}").read_text() if name in ("passwd", "group") else ""))
    wrapper = ("LD_PRELOAD=libnss_wrapper.so", *(f"NSS_WRAPPER_{name.upper()}={place}/{name}" for name in lines))
    for name, port in ports.items():
        scene.fill(
            "situations/dante.conf", place / f"{name}.conf", LOG=place / f"{name}.log", PORT=port,
            METHOD="username" if name == "username" else "none", RULE="block" if name == "block" else "pass",
            ACCOUNT=f"user.privileged: root\nuser.unprivileged: {account[0]}" if account else "")
        scene.servers.launch(f"dante-{name}", port, "env", *wrapper, program, "-f", place / f"{name}.conf", "-p", os.devnull)

    proxy = {name: f"socks5://localhost:{port}" for name, port in ports.items()}
    login = {"proxy_user": scene.user, "proxy_password": scene.password}
    wrong = {**login, "proxy_password": "wrong"}
    below = f"http://www.lab.localhost:{origin.port}/"

    def environment(client):
        log = Log(place / "none.log")
        client.get(below, environment={"http_proxy": proxy["none"]}, wget2=None, requests="--trust-env").delivers(BODY)
        expect(not log.lines(f".{origin.port}", count=0), "the proxy was used")

    def explicit(client):
        log = Log(place / "none.log")
        client.get(below, proxy=proxy["none"], wget2=None).delivers(BODY)
        expect(log.lines(f".{origin.port}"), "the proxy was not used")

    return {
        "d01": delivered(origin.url, BODY, proxy=proxy["none"], wget2=None),
        "d02": delivered(origin.url, BODY, proxy=proxy["username"], wget2=None, **login),
        "d03": refused(origin.url, "password|rejected", status=4, proxy=proxy["username"], wget2=None, **wrong),
        "d04": refused(origin.url, "rules forbid", proxy=proxy["block"], wget2=None),
        # One after the other, because both read the log.
        "d05": timed(both(environment, explicit)),
        "d06": either(
            delivered(origin.url, BODY, proxy=proxy["none"], v4=True, wget2=None),
            refused(origin.url, "-4", status=2, proxy=proxy["none"], v4=True, wget2=None)),
    }


def start_stunnel(scene):
    """stunnel in front of Apache, with rules for the client's certificate."""
    program, place, apache = find_program("stunnel", "stunnel4"), scene.folder / "stunnel", start_apache(scene)
    ports = free_ports("FRONT CHAIN PEER BRAINPOOL LEAF".split())
    place.mkdir()
    # An issuer that no server sends.
    Authority(scene.folder).sign("intermediate", ("basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign"))
    for end in ("pem", "key"):
        shutil.copy(scene.folder / f"intermediate.{end}", place / f"ca.{end}")
    Authority(place).sign_server()
    files = {"server": (scene.folder / "server.pem", scene.folder / "server.key"), "leaf": (place / "server.pem", place / "server.key"),
             "brainpool": scene.server_key("brainpoolP384r1")}
    for name, both_files in files.items():
        (place / f"{name}-both.pem").write_text("".join(each.read_text() for each in both_files))
    scene.fill("situations/stunnel.conf", place / "stunnel.conf", APACHE=apache["plain"].rpartition(":")[2], **ports)
    scene.servers.launch("stunnel", ports["LEAF"], program, place / "stunnel.conf")
    url = {name: f"https://localhost:{port}/page.txt" for name, port in ports.items()}
    page = "served from .\n"

    return {
        "u01": delivered(url["FRONT"], page),
        "u02": refused(url["CHAIN"], "certificate", status=(1, 4)),
        "u03": delivered(url["CHAIN"], page, cert=scene.identity),
        "u04": refused(url["PEER"], "certificate", status=(1, 4), cert=scene.identity),
        "u05": delivered(url["BRAINPOOL"], page, curl="--curves brainpoolP384r1 --tls-max 1.2", **AUTOMATIC),
        "u06": either(delivered(url["LEAF"], page), refused(url["LEAF"], "CN=intermediate", status=3)),
    }


SERVERS = {"squid": start_squid, "dante": start_dante, "stunnel": start_stunnel}
