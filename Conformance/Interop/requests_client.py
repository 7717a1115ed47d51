#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Gets a URL with Python's requests, as a user of the library would, and writes the body to standard output."""

import argparse
import sys
import urllib.parse

import requests
from requests.auth import HTTPBasicAuth, HTTPDigestAuth


def options():
    parser = argparse.ArgumentParser()
    for name in ("ca", "cert", "key", "user", "password", "token", "proxy", "proxy-user", "proxy-password", "range"):
        parser.add_argument("--" + name)
    parser.add_argument("url")
    return parser.parse_args()


def get(session, arguments, auth=None):
    headers = {}
    if arguments.range:
        headers["Range"] = "bytes=" + arguments.range
    if arguments.token:
        headers["Authorization"] = "Bearer " + arguments.token
    return session.get(arguments.url, headers=headers, auth=auth, timeout=8)


def main():
    arguments = options()
    session = requests.Session()
    session.trust_env = False
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
    response = get(session, arguments)
    # The library supports Basic and Digest, and leaves the choice to its user.
    if response.status_code == 401 and arguments.user:
        offered = response.headers.get("WWW-Authenticate", "").lower()
        method = HTTPDigestAuth if "digest" in offered else HTTPBasicAuth
        response = get(session, arguments, method(arguments.user, arguments.password))
    response.raise_for_status()
    sys.stdout.buffer.write(response.content)


try:
    main()
except requests.RequestException as error:
    sys.exit(f"requests: {error}")
