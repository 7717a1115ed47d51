# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""The application that hypercorn serves in the situations. The environment contains the user USER and PASSWORD, and the file STORED."""

import base64
import gzip
import hashlib
import os
import re

USER, PASSWORD = os.environ.get("USER_NAME", ""), os.environ.get("PASSWORD", "")
TEXT = b"served by hypercorn\n"
OPAQUE = "0123456789abcdef"


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    headers = {name.decode().lower(): value.decode("latin-1") for name, value in scope["headers"]}
    await PAGES.get(scope["path"].split("/")[1], page)(scope, headers, receive, send)


async def answer(send, body=TEXT, *fields, status=200):
    fields = [(name.encode(), value.encode()) for name, value in (("content-length", str(len(body))), *fields)]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body})


async def page(scope, headers, receive, send):
    await answer(send)


async def trailers(scope, headers, receive, send):
    if "http.response.trailers" not in scope["extensions"]:
        return await answer(send)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"trailer", b"x-digest")], "trailers": True})
    await send({"type": "http.response.body", "body": TEXT})
    await send({"type": "http.response.trailers", "headers": [(b"x-digest", b"1")]})


async def hints(scope, headers, receive, send):
    if "http.response.early_hint" in scope["extensions"]:
        await send({"type": "http.response.early_hint", "links": [b"</style.css>; rel=preload"]})
    await answer(send)


def has_basic(headers):
    return headers.get("authorization") == "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


async def api(scope, headers, receive, send):
    if has_basic(headers):
        await answer(send)
    else:
        await answer(send, b'{"error": "no login"}\n', ("content-type", "application/json"), status=401)


def digest(hash_name, user, userhash, scope, headers, body=b""):
    """Returns whether the Digest answer is right, with qop=auth-int if the body is given."""
    def hashed(*parts):
        return hashlib.new(hash_name, b":".join(each.encode() if isinstance(each, str) else each for each in parts)).hexdigest()

    got = {name: quoted or bare for name, quoted, bare in re.findall(r'(\w+)=(?:"([^"]*)"|([^\s,]+))', headers.get("authorization", ""))}
    expected_user = hashed(user, "hypercorn") if userhash else user
    if got.get("username") != expected_user or got.get("uri") != scope["raw_path"].decode() or got.get("nonce") != OPAQUE:
        return False
    first = hashed(user, "hypercorn", PASSWORD)
    if got["algorithm"].lower().endswith("-sess"):
        first = hashed(first, got["nonce"], got["cnonce"])
    second = hashed(scope["method"], got["uri"], *((hashed(body),) if got["qop"] == "auth-int" else ()))
    return got["response"] == hashed(first, got["nonce"], got["nc"], got["cnonce"], got["qop"], second)


def challenged(algorithm, hash_name, parameters, user, userhash=False):
    async def answer_digest(scope, headers, receive, send):
        if digest(hash_name, user, userhash, scope, headers):
            await answer(send)
        else:
            challenge = f'Digest realm="hypercorn", nonce="{OPAQUE}", algorithm={algorithm}, {parameters}'
            await answer(send, b"", ("www-authenticate", challenge), status=401)
    return answer_digest


async def upload(scope, headers, receive, send):
    """Answers 401 before it has read the body; stores a complete body of a user."""
    if not has_basic(headers):
        await answer(send, b"", ("www-authenticate", 'Basic realm="hypercorn"'), status=401)
        return
    total, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        total, more = total + len(message["body"]), message.get("more_body", False)
    with open(os.environ["STORED"], "a") as file:
        file.write(f"{scope['path']} {total}\n")
    await answer(send)


async def broken(scope, headers, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1000")]})
    await send({"type": "http.response.body", "body": TEXT, "more_body": True})
    raise RuntimeError("in the middle of a body")


async def codings(scope, headers, receive, send):
    import brotli
    await answer(send, brotli.compress(gzip.compress(TEXT)), ("content-encoding", "gzip, br"))


async def windows(scope, headers, receive, send):
    await answer(send, "100 € für Grüße\n".encode("windows-1252"), ("content-type", "text/plain; charset=windows-1252"))


PAGES = {
    "trailers": trailers, "hints": hints, "api": api, "upload": upload, "broken": broken, "codings": codings, "windows": windows,
    "md5-sess": challenged("MD5-sess", "md5", 'qop="auth-int"', USER),
    "sha512": challenged("SHA-512-256", "sha512_256", 'qop="auth", userhash=true, charset="UTF-8"', "jürgen", userhash=True),
}
