# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""A Kerberos realm: MIT's KDC on loopback with its files in one folder, and the part of httpd's configuration that requires tickets."""

import glob
import hashlib
import os
import secrets
import shutil
import ssl

from loopback import find_program, free_ports, run


def is_available():
    """Whether a KDC and Apache's module are installed. Homebrew has neither, so the tests are skipped there."""
    return bool(
        shutil.which("krb5kdc") and os.path.exists("/usr/include/gssapi/gssapi_ext.h")
        and glob.glob("/usr/lib*/apache2/modules/mod_auth_gssapi.so"))


def start_kerberos(scene):
    if not is_available():
        return {}
    realm, pages = scene.folder / "kerberos", scene.folder / "site/kerberos"
    realm.mkdir()
    pages.mkdir(parents=True)
    for name in ("each", "bound", "unasked", "page"):
        (pages / f"{name}.txt").write_text("served for a ticket\n")
    ports = free_ports(["KDC", "KERBEROS", "BOUND", "KERBEROSTLS"])
    for template, file in {
        "krb5.conf": "krb5.conf", "kdc.conf": "kdc.conf", "httpd-kerberos.conf": "httpd.conf",
    }.items():
        scene.fill(template, realm / file, **ports)
    # All child processes from here on use only this realm, without a replay cache, because the tests read
    # again the tokens that httpd received.
    os.environ.update({
        "KRB5_CONFIG": f"{realm}/krb5.conf", "KRB5_KDC_PROFILE": f"{realm}/kdc.conf", "KRB5_KTNAME": f"FILE:{realm}/keytab",
        "KRB5CCNAME": f"FILE:{realm}/tickets", "KRB5RCACHENAME": "none:",
    })
    password = secrets.token_hex(12)
    make_principals(realm, password)
    scene.servers.launch("krb5kdc", ports["KDC"], find_program("krb5kdc"), "-n")
    run("kinit", "alice", text=password + "\n")
    certificate = ssl.PEM_cert_to_DER_cert((scene.folder / "server.pem").read_text())
    return {
        "kerberos": f"http://localhost:{ports['KERBEROS']}", "kerberosBound": f"http://localhost:{ports['BOUND']}",
        "kerberosTLS": f"https://localhost:{ports['KERBEROSTLS']}", "kerberosPassword": password,
        "kerberosAnswers": realm / "answers.log", "kerberosCertificate": hashlib.sha256(certificate).hexdigest(),
    }


def make_principals(realm, password):
    """Creates the web service with its keytab, alice, and bob, whom the server does not authorize."""
    run("kdb5_util", "create", "-s", "-r", "INTEROP.TEST", "-P", secrets.token_hex(12))
    commands = (f"addprinc -pw {password} alice", f"addprinc -pw {password} bob", "addprinc -randkey HTTP/localhost",
                f"ktadd -k {realm}/keytab HTTP/localhost")
    run("kadmin.local", text="\n".join(commands) + "\n")
    (realm / "keytab").chmod(0o644)
