# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""The servers of scripts/interop/run. Each function starts one kind, and returns its lines of the value file."""

import hashlib
import os
import pathlib
import secrets
import shutil
import subprocess
import sys

import kerberos
from loopback import Authority, Failure, find_program, free_ports, run, unprivileged_user

HERE = pathlib.Path(__file__).resolve().parent


class Scene:
    """The folder with the certificates, the user and the password that all servers share."""

    def __init__(self, folder, servers):
        self.folder, self.servers = folder, servers
        self.user, self.password = "interop", secrets.token_hex(12)
        authority = Authority(folder)
        authority.sign_server()
        authority.sign_client("client", folder / "identity.pem")
        # The servers do not trust the client's certificate of another authority.
        (folder / "other").mkdir()
        Authority(folder / "other").sign_client("stranger", folder / "stranger.pem")
        run("htpasswd", "-ciB", folder / "htpasswd", self.user, text=self.password + "\n")
        # Servers read these after dropping root privileges.
        folder.chmod(0o755)
        (folder / "htpasswd").chmod(0o644)

    def values(self):
        return {
            "user": self.user, "password": self.password, "anchors": self.folder / "ca.pem",
            "identity": self.folder / "identity.pem", "stranger": self.folder / "stranger.pem",
        }

    def fill(self, template, file, **values):
        """Writes a template of this folder with @NAME@ replaced by the value of that name."""
        text = (HERE / f"{template}.template").read_text()
        for name, value in {"FOLDER": self.folder, **values}.items():
            text = text.replace(f"@{name}@", str(value))
        file.write_text(text)

    def write_digests(self, file, *realms):
        """Writes the same file as htdigest, which prompts on a terminal."""
        lines = (f"{self.user}:{realm}:{self.password}" for realm in realms)
        file.write_text("".join(
            f"{line.rpartition(':')[0]}:{hashlib.md5(line.encode()).hexdigest()}\n" for line in lines))
        file.chmod(0o644)

    def give_away(self, folder):
        """Lets an unprivileged server write to its folder, and returns its user and group; None unless root starts it."""
        account = unprivileged_user()
        if account:
            for path in (folder, *folder.rglob("*")):
                shutil.chown(path, account[0])
        return account


def start_apache(scene):
    """Apache httpd: Basic, Digest, Negotiate and client certificates, as an origin and as a proxy."""
    httpd = find_program("apache2", "httpd")
    ports = free_ports(["PLAIN", "TLS", "TLS12", "TLS13", "CLIENT12", "CLIENT13", "PROXYBASIC", "PROXYDIGEST"])
    scene.write_digests(scene.folder / "htdigest", "interop digest", "interop proxy digest")
    for place in (".", "basic", "digest", "stale", "secret", "wanted"):
        (scene.folder / "site" / place).mkdir(parents=True, exist_ok=True)
        (scene.folder / "site" / place / "page.txt").write_text(f"served from {place}\n")
    shutil.copy(scene.folder / "site/digest/page.txt", scene.folder / "site/digest/counted.txt")
    account = unprivileged_user()
    scene.fill(
        "httpd.conf", scene.folder / "httpd.conf", LOADMODULES=load_modules(httpd),
        ACCOUNT=f"User {account[0]}\nGroup {account[1]}\n" if account else "", **ports)
    scene.servers.launch("apache", ports["PROXYDIGEST"], httpd, "-f", scene.folder / "httpd.conf", "-D", "FOREGROUND")
    print(run(httpd, "-v").splitlines()[0])
    http = {"plain": "PLAIN", "proxyBasic": "PROXYBASIC", "proxyDigest": "PROXYDIGEST"}
    https = {"tls": "TLS", "tls12": "TLS12", "tls13": "TLS13", "client12": "CLIENT12", "client13": "CLIENT13"}
    return {**urls("http", http, ports), **urls("https", https, ports), "log": scene.folder / "access.log"}


def load_modules(httpd):
    """The directives for the modules, whose paths and built-in set differ between distributions."""
    places = ("/usr/lib/apache2/modules", pathlib.Path(httpd).resolve().parent.parent / "lib/httpd/modules",
              "/usr/libexec/apache2")
    modules = next((pathlib.Path(place) for place in places if pathlib.Path(place).is_dir()), pathlib.Path())
    names = ("mpm_event unixd log_config authn_core authn_file authz_core authz_user auth_basic auth_digest "
             "socache_shmcb ssl proxy proxy_http proxy_connect auth_gssapi headers filter deflate brotli http2").split()
    files = ((name, modules / f"mod_{name}.so") for name in names)
    return "\n".join(f"LoadModule {name}_module {file}" for name, file in files if file.is_file())


def start_acceptor(scene):
    """pyspnego, which accepts single NTLM messages; the other servers verify NTLM with it too."""
    scene.ntlm_python = find_acceptor()
    password = secrets.token_hex(12) + "é€"
    scene.ntlm_users = scene.folder / "ntlm-users"
    users = ("INTEROP:alice", ":bob@interop.test", ":carol", "INTEROP:jörg")
    scene.ntlm_users.write_text("".join(f"{user}:{password}\n" for user in users))
    bindings = scene.folder / "bindings"
    bindings.mkdir()
    # A certificate for each hash function, DER, self-signed.
    elliptic, rsa = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"), ("-newkey", "rsa:2048")
    for name, options in {
        "sha1": (*rsa, "-sha1"), "sha256": (*elliptic, "-sha256"), "sha384": (*elliptic, "-sha384"),
        "sha512": (*rsa, "-sha512"), "pss384": (*rsa, "-sha384", "-sigopt", "rsa_padding_mode:pss"),
    }.items():
        run("openssl", "req", "-x509", "-nodes", "-days", "1", "-subj", f"/CN={name}", "-outform", "DER", "-keyout",
            os.devnull, "-out", bindings / f"{name}.der", *options)
    return {
        "ntlmPython": scene.ntlm_python, "ntlmAcceptor": HERE / "ntlm-acceptor.py", "ntlmUsers": scene.ntlm_users,
        "ntlmPassword": password, "ntlmCertificates": bindings,
    }


def find_acceptor():
    """A python3 with pyspnego; if there is none, one is created under .tools."""
    def has_acceptor(python):
        return pathlib.Path(python).exists() and subprocess.run(
            (python, "-c", "import spnego"), capture_output=True).returncode == 0

    own = HERE.parents[1] / ".tools/pyspnego"
    for python in (find_program("python3"), own / "bin/python"):
        if has_acceptor(python):
            return python
    try:
        run(find_program("python3"), "-m", "venv", "--clear", own)
        run(own / "bin/pip", "install", "--quiet", "pyspnego==0.12.4")
    except Failure as failure:
        raise Failure(f"pyspnego could not be installed: {failure}") from None
    return own / "bin/python"


def start_squid(scene):
    """squid: a proxy that requires Basic, Digest or NTLM, each at its port, or any of them inside TLS."""
    squid, place = find_program("squid"), scene.folder / "squid"
    ports = free_ports(["SQUIDBASIC", "SQUIDDIGEST", "SQUIDNTLM", "SQUIDTLS", "HELPER"])
    place.mkdir()
    scene.write_digests(place / "htdigest", "interop squid")
    (place / "hosts").write_text("127.0.0.1 localhost\n")
    shutil.copy(HERE / "squid-ntlm-relay", place / "ntlm-relay")
    account = scene.give_away(place)
    scene.fill(
        "squid.conf", scene.folder / "squid.conf",
        HELPERS=squid_helpers(squid), ACCOUNT=f"cache_effective_user {account[0]}" if account else "", **ports)
    scene.servers.launch(
        "squid-ntlm", ports["HELPER"], scene.ntlm_python, HERE / "squid-ntlm-helper.py", str(ports["HELPER"]),
        scene.ntlm_users)
    scene.servers.launch("squid", ports["SQUIDTLS"], squid, "-N", "-f", scene.folder / "squid.conf")
    print(run(squid, "-v").splitlines()[0])
    http = {"squidBasic": "SQUIDBASIC", "squidDigest": "SQUIDDIGEST", "squidNTLM": "SQUIDNTLM"}
    return {
        **urls("http", http, ports), **urls("https", {"squidTLS": "SQUIDTLS"}, ports), "squidLog": place / "access.log",
    }


def squid_helpers(squid):
    """The folder of squid's helpers, whose path differs between distributions."""
    places = (pathlib.Path("/usr/lib/squid"), pathlib.Path("/usr/lib64/squid"), pathlib.Path(squid).resolve().parent.parent / "libexec")
    return next((each for each in places if (each / "basic_ncsa_auth").exists()), places[-1])


def write_staple(scene, place):
    """Writes the authority's OCSP response that the servers' certificate is good."""
    serial = run("openssl", "x509", "-noout", "-serial", "-in", scene.folder / "server.pem").strip().partition("=")[2]
    (place / "index.txt").write_text(f"V\t491231235959Z\t\t{serial}\tunknown\t/CN=localhost\n")
    authority, key = scene.folder / "ca.pem", scene.folder / "ca.key"
    run("openssl", "ocsp", "-index", place / "index.txt", "-CA", authority, "-rsigner", authority, "-rkey", key, "-issuer", authority,
        "-cert", scene.folder / "server.pem", "-ndays", "1", "-respout", place / "staple.der")


def start_nginx(scene):
    """nginx: an origin with Basic in UTF-8, uploads, and client certificates, which it requires with an HTTP status."""
    nginx, place = find_program("nginx"), scene.folder / "nginx"
    ports = free_ports(["NGINXPLAIN", "NGINX12", "NGINX13", "NGINXIDS", "NGINXREQUIRED", "NGINXOPTIONAL"])
    for folder in ("site/basic", "site/optional", "site/upload"):
        (place / folder).mkdir(parents=True)
    for page in ("site", "site/basic", "site/optional"):
        (place / page / "page.txt").write_text("served by nginx\n")
    user, password = "jürgen", secrets.token_hex(12) + "é€🗝"
    hashed = run("openssl", "passwd", "-apr1", "-stdin", text=password + "\n").strip()
    (place / "htpasswd").write_text(f"{user}:{hashed}\n")
    write_staple(scene, place)
    account = scene.give_away(place)
    scene.fill(
        "nginx.conf", scene.folder / "nginx.conf", ACCOUNT=f"user {account[0]} {account[1]};" if account else "", **ports)
    scene.servers.launch(
        "nginx", ports["NGINXOPTIONAL"], nginx, "-e", place / "error.log", "-c", scene.folder / "nginx.conf")
    print(subprocess.run((nginx, "-v"), capture_output=True, text=True).stderr.strip())
    https = {"nginx12": "NGINX12", "nginx13": "NGINX13", "nginxIds": "NGINXIDS", "nginxRequired": "NGINXREQUIRED",
             "nginxOptional": "NGINXOPTIONAL"}
    return {
        **urls("http", {"nginxPlain": "NGINXPLAIN"}, ports), **urls("https", https, ports),
        "nginxUser": user, "nginxPassword": password, "nginxLog": place / "access.log",
    }


def start_ntlm(scene):
    """An origin that requires NTLM, and an attacker in the middle with a certificate of the same authority."""
    ports = free_ports(["plain", "tls", "relay"])
    log, middle = scene.folder / "ntlm", scene.folder / "middle"
    log.mkdir()
    middle.mkdir()
    for name in ("ca.pem", "ca.key"):
        shutil.copy(scene.folder / name, middle)
    Authority(middle).sign_server()
    scene.servers.launch(
        "ntlm-origin", ports["tls"], scene.ntlm_python, HERE / "ntlm-origin.py", "--users", scene.ntlm_users,
        "--log", log / "access.log", "--plain", str(ports["plain"]), "--tls", str(ports["tls"]),
        "--certificate", scene.folder / "server.pem", "--key", scene.folder / "server.key")
    scene.servers.launch(
        "tls-relay", ports["relay"], sys.executable, HERE / "tls-relay.py", "--listen", str(ports["relay"]),
        "--to", str(ports["tls"]), "--certificate", middle / "server.pem", "--key", middle / "server.key",
        "--anchors", scene.folder / "ca.pem")
    return {
        **urls("http", {"ntlmPlain": "plain"}, ports), **urls("https", {"ntlmTLS": "tls", "ntlmRelay": "relay"}, ports),
        "ntlmLog": log / "access.log",
    }


def start_library(scene):
    """A SOAP service of spyne inside TLS: Basic at one port, a client certificate at the other."""
    python = HERE.parents[1] / ".tools/spyne/bin/python"
    if not python.exists():
        return {}
    ports = free_ports(["BASIC", "CERTIFICATE"])
    scene.servers.launch(
        "library", ports["BASIC"], python, HERE / "soap-server.py", scene.folder, str(ports["BASIC"]),
        str(ports["CERTIFICATE"]), scene.user, scene.password)
    identity = scene.folder / "identity.p12"
    run("openssl", "pkcs12", "-export", "-in", scene.folder / "identity.pem", "-out", identity, "-passout", "pass:library")
    return {**urls("https", {"libraryBasic": "BASIC", "libraryCertificate": "CERTIFICATE"}, ports), "libraryIdentity": identity}


def urls(scheme, names, ports):
    return {name: f"{scheme}://localhost:{ports[port]}" for name, port in names.items()}


# The order matters, because a server may use files of a previous one.
PEERS = (kerberos.start_kerberos, start_apache, start_acceptor, start_squid, start_nginx, start_ntlm, start_library)
