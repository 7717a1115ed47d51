# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""The TLS servers of scripts/interop/tls, each of which serves a page at one port."""

import os
import pathlib
import re
import shutil
import subprocess
import threading
import time

from loopback import Failure, find_program, free_port, run

HERE = pathlib.Path(__file__).resolve().parent
LABEL = "EXPORTER-interop"
TLSLITE = HERE.parents[2] / ".tools/tlslite-ng/bin/tls.py"

# The arguments of openssl for a new key of each type.
KEYS = {
    "P-256": ("ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
    "P-384": ("ec", "-pkeyopt", "ec_paramgen_curve:P-384"),
    "P-521": ("ec", "-pkeyopt", "ec_paramgen_curve:P-521"),
    "brainpoolP256r1": ("ec", "-pkeyopt", "ec_paramgen_curve:brainpoolP256r1"),
    "brainpoolP384r1": ("ec", "-pkeyopt", "ec_paramgen_curve:brainpoolP384r1"),
    "RSA": ("rsa:2048",),
    "RSA-PSS": ("rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048"),
    "Ed25519": ("ed25519",),
    "Ed448": ("ed448",),
}
# A prime of 1024 bits, generated for these tests.
SHORT_PARAMETERS = """\
-----BEGIN DH PARAMETERS-----
MIGHAoGBAOV7QD0tKrkfeIUAzCHVsiK5EwNS4OtwyuyXi3NsyN/0OqGMK6H9vQP1
2jRdwTze8A7I5gjznvUBhMvta923YrZT4E1I6yBDWWybonvyHlAHrKdTGJRd9Nr8
FW0hPAJdF+Q5WgYkDaLzIK11bcx4oSl1Rb75X0al8H2RMLhl/+i3AgEC
-----END DH PARAMETERS-----
"""


class Server:
    """A server that runs: its port, the path of a page, and the file with its output."""

    def __init__(self, port, path="/", output=None):
        self.port, self.path, self.output = port, path, output

    def prints(self, text):
        """Returns whether the output contains a text, in any case, within a few seconds."""
        for _ in range(30):
            if text.lower() in self.output.read_text(errors="replace").lower():
                return True
            time.sleep(0.1)
        return False


class Scene:
    """The folder with the keys, the running servers, and whether loopback is their only interface."""

    def __init__(self, folder, servers, values, isolated):
        self.folder, self.servers, self.values, self.isolated = folder, servers, values, isolated
        self.staple = folder / "nginx/staple.der"
        self.lock = threading.Lock()
        self.count = 0
        (folder / "tls").mkdir()
        (folder / "tls/short.pem").write_text(SHORT_PARAMETERS)

    def key(self, name):
        """Returns the files with a certificate, with its key, and with both; the certificate's issuer is itself."""
        place = self.folder / "tls" / name
        with self.lock:
            if not pathlib.Path(f"{place}.both").exists():
                run("openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-newkey", *KEYS[name],
                    "-keyout", f"{place}.key", "-out", f"{place}.pem")
                pathlib.Path(f"{place}.both").write_text(
                    "".join(pathlib.Path(f"{place}.{end}").read_text() for end in ("pem", "key")))
        return tuple(pathlib.Path(f"{place}.{end}") for end in ("pem", "key", "both"))

    def launch(self, *command, **options):
        """Starts a program whose arguments may contain `{port}`."""
        with self.lock:
            self.count += 1
            name, port = f"tls-{self.count}", free_port()
        self.servers.launch(name, port, *(str(each).replace("{port}", str(port)) for each in command), **options)
        return Server(port, output=self.folder / f"{name}.output")

    def build_go(self):
        with self.lock:
            program = self.folder / "tls/go-server"
            if not program.exists():
                # Without cgo, no compiler for C is necessary.
                run(find_program("go"), "build", "-o", program, HERE / "server.go", env={**os.environ, "CGO_ENABLED": "0"})
            return program


def s_server(*arguments, key="P-256", client=None, exports=False):
    """`openssl s_server`; with the type of a key, it requires a client certificate with that key.

    It serves a page or prints keying material, but not both.
    """
    def start(scene):
        certificate, private_key, _ = scene.key(key)
        required = ("-Verify", "1", "-verify_return_error", "-CAfile", scene.key(client)[0]) if client else ()
        named = {"{staple}": scene.staple, "{short}": scene.folder / "tls/short.pem", "{other}": scene.key("RSA")[0],
                 "{otherKey}": scene.key("RSA")[1]}
        task = ("-keymatexport", LABEL, "-keymatexportlen", "20") if exports else ("-www",)
        # Without a page, it ends at the end of its input.
        return scene.launch(
            find_program("openssl"), "s_server", *task, "-accept", "127.0.0.1:{port}", "-cert", certificate, "-key", private_key,
            *required, *(named.get(each, each) for each in arguments), stdin=subprocess.PIPE if exports else subprocess.DEVNULL)
    return start


def gnutls_serv(priority="NORMAL", *arguments, key="P-256", client=None, task="--http"):
    """`gnutls-serv`; with the task `--echo`, it obeys commands of the client."""
    def start(scene):
        if not scene.isolated:
            raise Failure("gnutls-serv is not tested without a network namespace, because it listens on all interfaces")
        certificate, private_key, _ = scene.key(key)
        identity = ("--require-client-cert", "--verify-client-cert", f"--x509cafile={scene.key(client)[0]}") if client else (
            "--disable-client-cert",)
        return scene.launch(
            find_program("gnutls-serv"), task, "--port", "{port}", f"--priority={priority}", f"--x509certfile={certificate}",
            f"--x509keyfile={private_key}", f"--keymatexport={LABEL}", "--keymatexportsize=20",
            *identity, *(each.replace("{staple}", str(scene.staple)) for each in arguments))
    return start


def go(version, *arguments, key="P-256", client=None):
    """Go's crypto/tls."""
    def start(scene):
        certificate, private_key, _ = scene.key(key)
        required = ("-anchors", scene.key(client)[0]) if client else ()
        return scene.launch(
            scene.build_go(), "-port", "{port}", "-version", int(version, 16), "-certificate", certificate, "-key", private_key,
            *required, *(scene.staple if each == "{staple}" else each for each in arguments))
    return start


def tlslite(*arguments, key="P-256"):
    """tlslite-ng's server, which scripts/interop/run installs."""
    def start(scene):
        certificate, private_key, _ = scene.key(key)
        if not TLSLITE.exists():
            raise Failure("tlslite-ng is not installed; 'scripts/interop/run' installs it")
        return scene.launch(
            TLSLITE.parent / "python", "-u", TLSLITE, "server", "-c", certificate, "-k", private_key, "-d", scene.folder / "site",
            "-l", LABEL, "-L", "20", *arguments, "127.0.0.1:{port}")
    return start


def running(name, path="/page.txt"):
    """A server of scripts/interop/run's peers, by its name in the value file."""
    def start(scene):
        return Server(int(str(scene.values[name]).rpartition(":")[2]), path)
    return start


def versions():
    """The versions of the installed programs."""
    commands = {
        "OpenSSL": (("openssl",), "version"), "GnuTLS": (("gnutls-serv",), "--version"), "Go": (("go",), "version"),
        "Apache": (("apache2", "httpd"), "-v"), "nginx": (("nginx",), "-v"),
    }
    for name, (programs, option) in commands.items():
        program = next(filter(None, map(shutil.which, programs)), None)
        if program:
            text = run("sh", "-c", f"{program} {option} 2>&1")
            yield f"{name} {re.search(r'[0-9]+(?:[.][0-9]+)+', text)[0]}"
    if TLSLITE.exists():
        version = run(TLSLITE.parent / "python", "-c", "import importlib.metadata; print(importlib.metadata.version('tlslite-ng'))")
        yield f"tlslite-ng {version.strip()}"
