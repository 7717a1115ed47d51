# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""nginx as an origin: challenges, unasked credentials, redirects, certificates, codings, interrupted downloads, and names."""

import base64
import gzip
import os
import random
import re
import secrets
import subprocess
import sys
import time

from clients import HERE, NotOffered
from loopback import find_program, free_ports, run
from rows import AUTOMATIC, Log, delivered, expect, refused, sent_at_once, timed
from servers import SHORT_PARAMETERS

PAGE = "the page\n"
LARGE = random.Random(49).randbytes(4 << 20)
HALF = len(LARGE) // 2


def start_nginx(scene):
    nginx, place = find_program("nginx"), scene.folder / "nginx"
    ports = free_ports(("PLAIN SECOND SIX REDIRECTOR TLS REQUIRED12 REQUIRED13 OPTIONAL OTHERISSUER P521 ED25519 PSS BRAINPOOL DHE SHORT "
                        "ONCE SOAP SOAPORIGIN SOAPCERTIFICATE").split())
    login = {"user": "jürgen", "password": secrets.token_hex(12) + "é€"}
    write_files(place, login)
    for kind in ("P-521", "Ed25519", "RSA", "RSA-PSS", "brainpoolP256r1"):
        scene.server_key(kind)
    run("openssl", "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:ffdhe2048", "-out", place / "dh2048.pem")
    (place / "dh1024.pem").write_text(SHORT_PARAMETERS)
    account = scene.give_away(place)
    template = (HERE / "nginx.conf.template").read_text()
    values = {
        "FOLDER": scene.folder, "PLACE": place, "TOKEN": scene.TOKEN, "ACCOUNT": f"user {account[0]} {account[1]};" if account else "",
        **ports,
    }
    configuration = re.sub("@([A-Z0-9]+)@", lambda match: str(values[match[1]]), template)
    (place / "nginx.conf").write_text(configuration)
    scene.servers.launch("nginx", ports["ONCE"], nginx, "-e", place / "error.log", "-c", place / "nginx.conf")
    url = f"http://localhost:{ports['PLAIN']}"
    tls = {name: f"https://localhost:{port}" for name, port in ports.items()}
    log = place / "access.log"
    return {
        **challenge_rows(scene, url, login), **unasked_rows(scene, url, ports, log), **redirect_rows(scene, url, tls, ports, log),
        **certificate_rows(scene, tls), **coding_rows(url), **download_rows(url, log, place), **other_rows(scene, url, tls, ports, log),
    }


def write_files(place, login):
    site = place / "site"
    (site / "n53").mkdir(parents=True)
    for name in (*(f"n{number:02}" for number in range(1, 55) if number != 53), "index.html", "basic"):
        (site / name).write_text(PAGE)
    (site / "small").mkdir()
    for number in range(20):
        (site / "small" / f"{number}.txt").write_text(PAGE)
    (site / "large").write_bytes(LARGE)
    # A validator must be older than the response by a minute (RFC 9110 section 8.8.2.2).
    os.utime(site / "large", (time.time() - 86400,) * 2)
    (site / "latin-1").write_text("grüße\n", encoding="latin-1")
    (site / "12-mb.gz").write_bytes(gzip.compress(bytes(12_000_000), 1))
    (site / "1-gb.gz").write_bytes(gzip.compress(bytes(1 << 30), 1))
    for tool, name in (("brotli", "page.br"), ("zstd", "page.zst")):
        (site / name).write_bytes(subprocess.run((find_program(tool), "-c"), input=PAGE.encode(), capture_output=True, check=True).stdout)
    hashed = run("openssl", "passwd", "-apr1", "-stdin", text=login["password"] + "\n").strip()
    (place / "htpasswd").write_text(f"{login['user']}:{hashed}\n")


def challenge_rows(scene, url, unicode_login):
    return {
        "n01": delivered(f"{url}/n01", PAGE, **scene.login),
        "n02": delivered(f"{url}/n02", PAGE, **scene.login),
        "n03": delivered(f"{url}/n03", PAGE, says=('the "vault"',), **scene.login),
        "n04": delivered(f"{url}/n04", PAGE, **unicode_login),
        "n13": refused(f"{url}/n13", "token", status=4, **scene.login),
        "n14": delivered(f"{url}/n14", PAGE, says=("AWS4-HMAC-SHA256", "basic"), **scene.login),
        "n15": delivered(f"{url}/n15", PAGE, says=("negotiate",), **scene.login),
    }


def unasked_rows(scene, url, ports, log):
    def token(path):
        def row(client):
            target = f"/{path}?{client.name}"
            client.get(url + target, token=scene.TOKEN).delivers(PAGE)
            expect(len(Log(log, start=0).lines(f" {target} ")) == 1, "more than one request")
        return row

    def token_elsewhere(client):
        target = f"/n10?{client.name}"
        client.get(url + target, token=scene.TOKEN).refuses(f"localhost:{ports['PLAIN']}", status=4)
        Log(log, start=0).has_no(client, scene.TOKEN, f"{ports['SECOND']} GET {target} ")

    def plain_name(client):
        target = f"/n12?{client.name}"
        host = f"lab.test:{ports['PLAIN']}"
        client.get(f"http://{host}{target}", now=True, resolve=f"{host}:127.0.0.1", **scene.login).refuses(
            "--allow-credentials-over-plain-http", status=(1, 4))
        Log(log, start=0).has_no(client, "authorization=Basic", f" {target} ")

    return {
        "n05": sent_at_once(f"{url}/n05", PAGE, **scene.login),
        "n06": sent_at_once(f"{url}/n06", PAGE, **scene.login),
        "n07": sent_at_once(f"{url}/n07", PAGE, status=4, **scene.login),
        "n08": token("n08"),
        "n09": token("n09"),
        "n10": token_elsewhere,
        "n11": delivered(f"{url}/n05".replace("//", f"//{scene.user}:{scene.password}@"), PAGE, ours="--auth basic",
                         wget2="--auth-no-challenge"),
        "n12": plain_name,
        "n55": soap(scene, ports),
    }


def soap(scene, ports):
    python = HERE.parents[2] / ".tools/spyne/bin/python"
    if python.exists():
        scene.servers.launch(
            "soap", ports["SOAPORIGIN"], python, HERE.parent / "soap-server.py", scene.folder, str(ports["SOAPORIGIN"]),
            str(ports["SOAPCERTIFICATE"]), scene.user, scene.password)
    else:
        print("situations: n55 is not tested: spyne is not installed; 'scripts/interop/run' installs it", file=sys.stderr)

    def row(client):
        if not client.is_ours or not python.exists():
            raise NotOffered("SOAP")
        client.run(
            client.program.with_name("countersign-soap"), "call", f"http://localhost:{ports['SOAP']}/11?wsdl", "repeat", "--data",
            '{"text": "what was said"}', "--user", f"{scene.user}:{scene.password}", "--auth", "basic").delivers(
                lambda body: b"what was said" in body)
    return row


def redirect_rows(scene, url, tls, ports, log):
    def elsewhere(url, origin, path):
        def row(client):
            seen = Log(log)
            client.get(url, ca=scene.folder / "ca.pem", **scene.login).refuses(origin, status=4)
            seen.has_no(client, "authorization=Basic", path)
        return row

    default_ports = [f"localhost:80:localhost:{ports['REDIRECTOR']}", f"localhost:443:localhost:{ports['TLS']}"]
    facts = {"ca": scene.folder / "ca.pem", **scene.login}
    return {
        "n16": delivered("http://localhost/n16", PAGE, connect_to=default_ports, **facts),
        "n17": delivered(f"{tls['TLS']}/n17".replace("https:", "http:"), PAGE, **facts),
        "n18": elsewhere(f"{tls['TLS']}/n18", f"localhost:{ports['TLS']}", f"{ports['ED25519']} GET /basic "),
        "n19": elsewhere(f"{url}/n19", f"localhost:{ports['PLAIN']}", f"{ports['TLS']} GET /basic "),
    }


def certificate_rows(scene, tls):
    certificate, key = scene.folder / "client.pem", scene.folder / "client.key"
    second = scene.client_key("RSA", scene.second)
    rsa = scene.client_key("RSA").with_suffix(".pem")
    keys = {}
    for cipher in ("aes256", "des3"):
        keys[cipher] = rsa.with_suffix(f".{cipher}")
        run("openssl", "rsa", "-traditional", f"-{cipher}", "-in", rsa.with_suffix(".key"), "-passout", "pass:situations", "-out",
            keys[cipher])

    def traditional(cipher, name):
        """The page, and for Countersign the name of the key's protection."""
        def row(client):
            client.get(f"{tls['REQUIRED13']}/n25", cert=rsa, key=keys[cipher], passphrase="situations").delivers(PAGE)
            if client.is_ours:
                contents = client.run(client.program, "identity", "inspect", keys[cipher], "--password-file", client.folder / "passphrase")
                expect(name in contents.output.decode(), f"{name} is not named")
        return row

    def stranger(client):
        result = client.get(f"{tls['REQUIRED13']}/n27", cert=scene.stranger).refuses()
        expect(not client.is_ours or b"certificate" in result.output, f"the page is not printed: {result.output[:80]}")

    return {
        "n20": delivered(f"{tls['REQUIRED12']}/n20", PAGE, cert=scene.identity),
        "n21": delivered(f"{tls['REQUIRED13']}/n21", PAGE, cert=scene.identity),
        "n22": delivered(f"{tls['OPTIONAL']}/n22", PAGE, cert=scene.identity),
        "n23": delivered(f"{tls['OTHERISSUER']}/n23", PAGE, says=("client-RSA",), cert=[scene.identity, second], curl=None, wget2=None,
                         requests=None),
        "n24": delivered(f"{tls['REQUIRED13']}/n24", PAGE, cert=certificate, key=key),
        "n25": traditional("aes256", "AES-256-CBC and MD5"),
        "n26": traditional("des3", "DES-EDE3-CBC and MD5"),
        "n27": stranger,
        "n28": delivered(f"{tls['P521']}/n28", PAGE),
        "n29": delivered(f"{tls['ED25519']}/n29", PAGE),
        "n30": delivered(f"{tls['PSS']}/n30", PAGE, **AUTOMATIC),
        "n31": delivered(f"{tls['BRAINPOOL']}/n31", PAGE, **AUTOMATIC),
        "n32": delivered(f"{tls['DHE']}/n32", PAGE, **AUTOMATIC),
        "n33": refused(f"{tls['SHORT']}/n33", "handshake|DHE|key|weak", status=(1, 3)),
    }


def coding_rows(url):
    return {
        "n34": delivered(f"{url}/n34", bytes(12_000_000)),
        "n35": timed(refused(f"{url}/n35", "--max-expansion-ratio", output="/dev/null")),
        "n36": delivered(f"{url}/n36", PAGE),
        "n37": delivered(f"{url}/n37", PAGE),
    }


def download_rows(url, log, place):
    def own(**facts):
        """A download of the client itself that is killed when half of the file is there."""
        return lambda client, url, kill: client.get(url, output="large", kill=kill, **facts)

    def foreign(*command):
        return lambda client, url, kill: client.run(*command, url, kill=kill)

    def go_on(begin, *patterns):
        """A download that `begin` begins, and that the client completes without the first half."""
        def row(client):
            file, target = client.folder / "large", f"/slow/{client.folder.parent.name}-{client.name}"
            begin(client, url + target, lambda: any(
                each.exists() and each.stat().st_size >= HALF for each in (file, file.with_name("large.part"))))
            seen = Log(log)
            client.get(url + target, output="large", resume=True, verbose=client.is_ours).ends(0).says(*patterns)
            expect(file.exists() and file.read_bytes() == LARGE, "the bytes are not equal")
            lines = seen.lines(f" {target} ", "range=bytes=")
            starts = [int(re.search(r"range=bytes=(\d+)-", line)[1]) for line in lines]
            expect(starts and min(starts) >= HALF - 65536, f"the first half was fetched again: {lines}")
        return row

    def own_download(client):
        go_on(own(resume=client.is_ours))(client)

    def left(client):
        """A killed download of --partial, which leaves a file that -C completes."""
        go_on(own(partial=True))(client)

    def changed(client):
        file, text = client.folder / "large", random.Random(50).randbytes(HALF)
        file.write_bytes(text)
        os.utime(file, (time.time() - 2 * 86400,) * 2)
        client.get(f"{url}/large/n41", output="large", resume=True).refuses("not continued")
        expect(file.exists() and file.read_bytes() == text, "the file was changed")

    def complete(client):
        file = client.folder / "large"
        file.write_bytes(LARGE)
        client.get(f"{url}/large/n42", output="large", resume=True).ends(0).says("complete")
        expect(file.read_bytes() == LARGE, "the file was changed")

    return {
        "n38": own_download,
        "n39": go_on(foreign("curl", "-s", "-o", "large"), "64 KiB|compared"),
        "n40": go_on(foreign("wget", "-q", "-O", "large")),
        "n41": changed,
        "n42": complete,
        "n43": left,
    }


def other_rows(scene, url, tls, ports, log):
    def verbose(client):
        secret = base64.b64encode(f"{scene.user}:{scene.password}".encode()).decode()
        result = client.get(f"{url}/n44", verbose=True, **scene.login).delivers(PAGE)
        result.says(r"(?m)^> GET /n44 HTTP", r"(?m)^> Host: ", r"(?m)^< HTTP/1.1 200", r"(?m)^< Server: nginx",
                    r"Authorization: Basic .(hidden|redacted)")
        expect(secret not in result.error, "the password is shown")
        if client.is_ours:
            client.get(f"{url}/n44", ours="--show-secrets", verbose=True, **scene.login).says(re.escape(secret))

    def families(client):
        target = f"http://localhost:{ports['SIX']}/"
        client.get(target, v6=True).delivers(PAGE)
        client.get(target, v4=True).refuses("IPv4|refused")

    def small(client):
        (client.folder / "files").mkdir()
        client.get(*(f"{url}/small/{number}.txt" for number in range(20)), output_dir="files").ends(0)
        expect(len(list((client.folder / "files").iterdir())) == 20, "files are missing")

    def upload(client):
        file = client.folder / "body"
        file.write_bytes(bytes(1 << 20))
        target = f"/n53/{client.name}"
        client.get(url + target, upload=file, **scene.login).ends(0)
        lines = Log(log, start=0).lines(f" PUT {target} ", count=2)
        expect(sum(int(line.split(" range=")[0].rpartition(" ")[2]) > 1 << 20 for line in lines) == 1, f"not one body: {lines}")

    idn = f"http://bücher.localhost:{ports['PLAIN']}/"
    lab = f"http://www.lab.localhost:{ports['PLAIN']}/"
    return {
        "n44": verbose,
        "n45": families,
        "n46": small,
        "n47": delivered(f"{url}/n47", "served from inner.test\n", host="inner.test"),
        "n48": delivered(idn, "served from bücher\n"),
        "n49": delivered(f"{url}/n49", "served from bücher\n"),
        "n50": delivered(f"{url}/n50", lambda body: "grüße".encode() in body, terminal=True),
        "n51": delivered(lab, "served from www.lab.localhost\n"),
        "n52": delivered(lab, "served from www.lab.localhost\n", environment={"http_proxy": "http://localhost:9"}, requests="--trust-env"),
        "n53": upload,
        "n54": delivered([f"{tls['ONCE']}/n54?{number}" for number in range(20)], PAGE * 20),
    }


SERVERS = {"nginx": start_nginx}
