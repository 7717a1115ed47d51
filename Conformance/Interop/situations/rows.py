# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Common rows of scripts/interop/situations. A row is a function of a `Client` that runs it and raises `Wrong`."""

import time

import peers
from clients import Leak, Wrong
from loopback import Authority
from servers import KEYS


# Countersign tries OpenSSL after BoringSSL, which does not support some keys and groups.
AUTOMATIC = {"ours": "--tls-library automatic"}


class Scene(peers.Scene):
    """The folder with the authority (ca.pem), the server's and the clients' certificates, and the user and password of all servers."""

    TOKEN = "situations-token-4711"

    def __init__(self, folder, servers):
        super().__init__(folder, servers)
        self.login = {"user": self.user, "password": self.password}
        # The identity that the servers trust, and one that they do not know: a certificate and its key in one file.
        self.identity, self.stranger = folder / "identity.pem", folder / "stranger.pem"
        (folder / "second").mkdir()
        self.second = Authority(folder / "second", "Second root")

    def server_key(self, kind):
        """Returns the files with a certificate for localhost and with its key of this kind, of the authority."""
        name = f"server-{kind}"
        names = ",".join(f"DNS:{each}" for each in ("localhost", "lab.test", "other.test"))
        self.sign(Authority(self.folder), name, kind, "extendedKeyUsage=serverAuth", f"subjectAltName={names},IP:127.0.0.1")
        return self.folder / f"{name}.pem", self.folder / f"{name}.key"

    def client_key(self, kind, authority=None):
        """Returns a file with a client's certificate and its key of this kind, of the authority or another one such as `second`."""
        authority = authority or Authority(self.folder)
        name = f"client-{kind}"
        self.sign(authority, name, kind, "extendedKeyUsage=clientAuth")
        both = authority.folder / f"{name}.both"
        both.write_text("".join((authority.folder / f"{name}.{end}").read_text() for end in ("pem", "key")))
        return both

    def sign(self, authority, name, kind, *extensions):
        authority.sign(name, (*Authority.LEAF, *extensions), ("-newkey", *KEYS[kind], "-nodes"))
        (authority.folder / f"{name}.key").chmod(0o644)


def delivered(url, body, says=(), **facts):
    """A row that is right if the body is delivered; with `says`, Countersign runs with -v and must print these patterns.

    The URL may be a list, whose bodies are delivered in its order.
    """
    def row(client):
        verbose = {"verbose": client.is_ours and bool(says)}
        client.get(*([url] if isinstance(url, str) else url), **verbose, **facts).delivers(body).says(*says)
    return row


def refused(url, *patterns, status=1, **facts):
    """A row that is right if the client fails, Countersign with one of these statuses and patterns in its error."""
    def row(client):
        client.get(url, **facts).refuses(*patterns, status=status)
    return row


def both(*rows):
    """A row that is right if all of these are."""
    def row(client):
        for each in rows:
            each(client)
    return row


def either(first, second):
    """A row that is right if one of these is."""
    def row(client):
        try:
            first(client)
        except Wrong:
            second(client)
    return row


def sent_at_once(url, body, status=1, **login):
    """A row that is right if the login is sent with the first request; without `now`, Countersign's error names the option."""
    def row(client):
        client.get(url, now=True, **login).delivers(body)
        if client.is_ours:
            client.get(url, **login).refuses("--auth basic", status=status)
    return row


def timed(row):
    """A row that runs alone, after the others."""
    row.is_timed = True
    return row


class Log:
    """The lines that a server has added to a file, from now on or from the offset `start`."""

    def __init__(self, path, start=None):
        self.path = path
        self.start = start if start is not None else path.stat().st_size if path.exists() else 0

    def text(self):
        if not self.path.exists():
            return ""
        with open(self.path, "rb") as file:
            file.seek(self.start)
            return file.read().decode(errors="replace")

    def lines(self, *words, count=1):
        """Returns the lines with all these words, after at least `count` of them or a second."""
        for _ in range(20):
            lines = [line for line in self.text().splitlines() if all(word in line for word in words)]
            if len(lines) >= count:
                break
            time.sleep(0.05)
        return lines

    def has_no(self, client, secret, *words):
        """Checks that no line with these words contains the secret, which the client must not send to this server."""
        time.sleep(0.1)
        if any(secret in line for line in self.lines(*words, count=0)):
            raise (Leak if client.is_ours else Wrong)(f"{secret!r} in {self.path.name}")


def expect(condition, problem):
    if not condition:
        raise Wrong(problem)
