# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Apache httpd: challenges, tokens, client certificates, forward proxies, Kerberos and codings."""

import functools
import os
import time

import kerberos
import peers
from loopback import Failure, free_ports
from peers import urls
from rows import Log, delivered, expect, refused, sent_at_once
from sockets import BODY, Server, response

# The error of Countersign names this option.
OPENSSL = {"ours": "--tls-library openssl"}
PAGES = ("quotes", "digest-quotes", "two", "token", "hidden", "deflate", "brotli", "either")


@functools.cache
def start_apache(scene):
    """The values of `peers.start_apache`, and those of the servers of httpd.conf.template here, which it includes."""
    ports = free_ports(["HTTP2", "NOP521", "SECOND", "WANTED", "EITHER"])
    scene.write_digests(scene.folder / "htdigest-quotes", 'the "inner" ring')
    for name in PAGES:
        (scene.folder / "site" / name).mkdir(parents=True)
        (scene.folder / "site" / name / "page.txt").write_text(page(name))
    (scene.folder / "site/page.txt").write_text(page("."))
    scene.fill("situations/httpd.conf", scene.folder / "httpd-situations.conf", BEARER=scene.TOKEN, **ports)
    https = {"http2": "HTTP2", "noP521": "NOP521", "second": "SECOND", "wanted": "WANTED"}
    return {**peers.start_apache(scene), **urls("https", https, ports), "either": f"http://localhost:{ports['EITHER']}"}


def page(name):
    return f"served from {name}\n" * (2000 if name in ("deflate", "brotli") else 1)


def slow_origin(seconds, action=lambda: None):
    """Returns the URL of a server that performs an action, and whose answer `BODY` takes that long.

    wget2 does not keep the order of URLs of several hosts.
    """
    def answer(_):
        action()
        time.sleep(seconds)
        return response()
    return Server(answer).url


def start_kerberos(scene):
    """Returns the realm's values, and the environment of a client with a ticket, which other clients must not have."""
    if not kerberos.is_available():
        raise Failure("krb5kdc or Apache's mod_auth_gssapi is not installed; 'scripts/make/setup interop' installs them")
    before = dict(os.environ)
    values = kerberos.start_kerberos(scene)
    ticket = {name: value for name, value in os.environ.items() if before.get(name) != value}
    return values, ticket


def start(scene):
    realm, ticket = start_kerberos(scene)
    no_ticket = {**ticket, "KRB5CCNAME": f"FILE:{scene.folder}/no-tickets"}
    apache = start_apache(scene)
    for name in ticket:
        del os.environ[name]
    plain, tls12, tls13, login = apache["plain"], apache["tls12"], apache["tls13"], scene.login
    proxy_login = {"proxy_user": scene.user, "proxy_password": scene.password}
    basic, digest = ({"proxy": apache[name], **proxy_login} for name in ("proxyBasic", "proxyDigest"))
    rsa, p521 = scene.client_key("RSA"), scene.client_key("P-521")
    ours_only = {"curl": None, "wget2": None, "requests": None}
    alice = {"user": "alice", "password": realm["kerberosPassword"]}

    def get(origin, name, **facts):
        return delivered(f"{origin}/{name}/page.txt", page(name), **facts)

    def named(client):
        log = Log(scene.folder / "certificates.log")
        get(apache["wanted"], "wanted", cert=scene.identity, **OPENSSL)(client)
        expect(log.lines("/wanted", "client"), "the server does not know the certificate's name")

    ticket_row = delivered(
        f"{realm['kerberos']}/kerberos/each.txt", "served for a ticket\n", environment=ticket, ours="--negotiate",
        curl="--negotiate --user :", wget2=None, requests=None)

    def installed(client):
        if client.is_ours:
            expect(b"Negotiate" in client.run(client.program, "--version").output, "--version does not name Negotiate")
        ticket_row(client)

    def stale(client):
        url, log = f"{plain}/stale/page.txt", Log(apache["log"])
        client.get(url, slow_origin(4), f"{url}?2", wget2=None, **login).delivers(page("stale").encode() + BODY + page("stale").encode())
        expect(len(log.lines("/stale/", " 401", count=2)) >= 2, "no nonce expired")

    return {
        "a01": get(plain, "basic", **login),
        "a02": get(plain, "digest", **login),
        "a03": stale,
        "a04": get(plain, "quotes", says=('the "inner" ring',), **login),
        # Apache 2.4 compares the realm with its own escaped form (AH01788), so it rejects every client.
        "a05": refused(f"{plain}/digest-quotes/page.txt", 'the "inner" ring', status=4, **login),
        "a06": get(plain, "two", **login),
        "a07": get(plain, "token", token=scene.TOKEN),
        "a08": sent_at_once(f"{plain}/hidden/page.txt", page("hidden"), **login),
        "a09": delivered(f"{tls12}/secret/page.txt", page("secret"), cert=scene.identity),
        "a10": delivered(f"{tls13}/secret/page.txt", page("secret"), cert=scene.identity, **OPENSSL),
        "a11": named,
        "a12": delivered(f"{apache['http2']}/secret/page.txt", page("secret"), cert=scene.identity),
        "a13": get(apache["client13"], ".", cert=scene.client_key("RSA-PSS"), **OPENSSL),
        "a14": get(apache["client13"], ".", cert=p521),
        "a15": get(apache["noP521"], ".", cert=[p521, rsa], says=("P-521",), **ours_only),
        "a16": refused(f"{apache['second']}/page.txt", "Second root", status=(1, 4), cert=[p521, rsa, scene.identity], **ours_only),
        "a17": get(plain, ".", **basic),
        "a18": get(apache["tls"], ".", **basic),
        "a19": get(apache["tls"], ".", **digest),
        "a20": get(plain, "digest", **basic, **login),
        "a21": ticket_row,
        "a22": delivered(f"{realm['kerberos']}/kerberos/each.txt", "served for a ticket\n", environment=no_ticket, ours="--negotiate",
                         curl="--negotiate", wget2=None, requests=None, **alice),
        "a23": get(apache["either"], "either", environment=no_ticket, says=("negotiate",), **alice),
        "a24": installed,
        "a25": get(plain, "deflate"),
        "a26": get(plain, "brotli"),
    }


SERVERS = {"Apache": start}
