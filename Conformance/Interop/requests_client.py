#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Gets URLs with Python's requests, as a user of the library would, and writes the bodies to standard output or a file."""

import argparse
import sys
import urllib.parse

import requests
from requests.auth import HTTPBasicAuth, HTTPDigestAuth

try:
    from requests_ntlm import HttpNtlmAuth
except ImportError:
    HttpNtlmAuth = None


def options():
    parser = argparse.ArgumentParser()
    for name in ("ca", "cert", "key", "user", "password", "token", "proxy", "proxy-user", "proxy-password", "range", "host", "output",
                 "upload"):
        parser.add_argument("--" + name)
    parser.add_argument("--now", action="store_true", help="send the password with the first request")
    parser.add_argument("--trust-env", action="store_true", help="use the proxies of the environment")
    parser.add_argument("url", nargs="+")
    return parser.parse_args()


def get(session, arguments, url, auth=None):
    headers = {"Host": arguments.host} if arguments.host else {}
    if arguments.range:
        headers["Range"] = "bytes=" + arguments.range
    if arguments.token:
        headers["Authorization"] = "Bearer " + arguments.token
    if arguments.upload:
        with open(arguments.upload, "rb") as body:
            return session.put(url, data=body, headers=headers, auth=auth, timeout=8)
    return session.get(url, headers=headers, auth=auth, timeout=8)


def answer(session, arguments, url):
    if arguments.now:
        return get(session, arguments, url, HTTPBasicAuth(arguments.user, arguments.password))
    response = get(session, arguments, url)
    # The library supports Basic and Digest, and with a package NTLM, and leaves the choice to its user.
    if response.status_code == 401 and arguments.user:
        offered = response.headers.get("WWW-Authenticate", "").lower()
        method = HTTPBasicAuth
        if "digest" in offered:
            method = HTTPDigestAuth
        elif HttpNtlmAuth and ("ntlm" in offered or "negotiate" in offered and "basic" not in offered):
            method = HttpNtlmAuth
        response = get(session, arguments, url, method(arguments.user, arguments.password))
    return response


def main():
    arguments = options()
    session = requests.Session()
    session.trust_env = arguments.trust_env
    session.verify = arguments.ca
    if arguments.cert:
        session.cert = (arguments.cert, arguments.key)
    if arguments.proxy:
        proxy = arguments.proxy
        if arguments.proxy_user:
            scheme, rest = proxy.split("://")
            login = ":".join(map(urllib.parse.quote, (arguments.proxy_user, arguments.proxy_password)))
            proxy = f"{scheme}://{login}@{rest}"
        session.proxies = {"http": proxy, "https": proxy}
    for url in arguments.url:
        response = answer(session, arguments, url)
        response.raise_for_status()
        if arguments.output:
            with open(arguments.output, "wb") as file:
                file.write(response.content)
        else:
            sys.stdout.buffer.write(response.content)


try:
    main()
except requests.RequestException as error:
    sys.exit(f"requests: {error}")
