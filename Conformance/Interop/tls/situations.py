# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""The rows of scripts/interop/tls: a server, the connections to it, and the expected result with each library.

A result begins with the status of the response or with the failure. A failure names the side that ended the connection and the alert.
" or " separates results of different versions of the server.
"""

import dataclasses
import typing

from servers import go, gnutls_serv, running, s_server, tlslite


@dataclasses.dataclass
class Situation:
    program: str
    title: str
    start: typing.Callable
    # The properties in a result, by their names in scripts/interop/tls.
    shown: str
    boringSSL: str
    # By default the same as with BoringSSL.
    openSSL: str = ""
    # Additional options of the program that connects, in which `{KEY}` is the identity with a key of that type.
    options: tuple = ()

    def expected(self, library):
        """Returns the possible results."""
        return (getattr(self, library) or self.boringSSL).split(" or ")


def rows(program, *situations):
    return [Situation(program, *each) if isinstance(each, tuple) else Situation(program, **each) for each in situations]


def request(title, server, path, *expected, options=()):
    """A request of `countersign get`; the result begins with the status of the response or with the code of the error."""
    return Situation(SESSION, title, running(server, path), "", *expected, options=options)


# The program of the rows whose requests are sent by a session.
SESSION = "Requests of a session"
IDENTITY, STRANGER, HARD_FAIL = ("--identity", "{identity}"), ("--identity", "{stranger}"), ("--revocation", "hard-fail")
TLS12, TLS13 = "-tls1_2", "-tls1_3"
REFUSED = "received handshake_failure"
RESUME = ("--connections", "2")
LEGACY = ("--legacy",)
ONLY12 = "NORMAL:-VERS-ALL:+VERS-TLS1.2"

SITUATIONS = rows(
    "openssl s_server",
    ("P-256 key, TLS 1.3", s_server(TLS13), "version scheme", "200, TLSv1.3, ecdsa_secp256r1_sha256"),
    ("P-256 key, TLS 1.2", s_server(TLS12), "version scheme", "200, TLSv1.2, ecdsa_secp256r1_sha256"),
    ("P-384 key", s_server(key="P-384"), "version scheme", "200, TLSv1.3, ecdsa_secp384r1_sha384"),
    ("P-521 key, TLS 1.3", s_server(TLS13, key="P-521"), "version scheme", "200, TLSv1.3, ecdsa_secp521r1_sha512"),
    ("P-521 key, TLS 1.2", s_server(TLS12, key="P-521"), "version scheme", "200, TLSv1.2, ecdsa_secp256r1_sha256"),
    ("RSA key, TLS 1.3", s_server(TLS13, key="RSA"), "version scheme", "200, TLSv1.3, rsa_pss_rsae_sha256"),
    ("RSA key, TLS 1.2", s_server(TLS12, key="RSA"), "version scheme", "200, TLSv1.2, rsa_pss_rsae_sha256"),
    ("Ed25519 key, TLS 1.3", s_server(TLS13, key="Ed25519"), "version scheme", "200, TLSv1.3, ed25519"),
    ("Ed25519 key, TLS 1.2", s_server(TLS12, key="Ed25519"), "version scheme", "200, TLSv1.2, ed25519"),
    ("RSA-PSS key, TLS 1.3", s_server(TLS13, key="RSA-PSS"), "version scheme", REFUSED, "200, TLSv1.3, rsa_pss_pss_sha256"),
    ("RSA-PSS key, TLS 1.2", s_server(TLS12, key="RSA-PSS"), "version scheme", REFUSED, "200, TLSv1.2, rsa_pss_pss_sha256"),
    ("Ed448 key, TLS 1.3", s_server(TLS13, key="Ed448"), "version scheme", REFUSED, "200, TLSv1.3, ed448"),
    ("Ed448 key, TLS 1.2", s_server(TLS12, key="Ed448"), "version scheme", REFUSED, "200, TLSv1.2, ed448"),
    ("brainpoolP256r1 key, TLS 1.2", s_server(TLS12, key="brainpoolP256r1"), "version", REFUSED, "200, TLSv1.2"),
    ("brainpoolP384r1 key, TLS 1.3", s_server(TLS13, key="brainpoolP384r1"), "version", "received protocol_version"),
    ("only the group X25519", s_server("-groups", "X25519"), "version group", "200, TLSv1.3, x25519"),
    ("only the group P-521", s_server("-groups", "P-521"), "version group", "200, TLSv1.3, secp521r1"),
    ("only the group P-384", s_server("-groups", "P-384"), "version group", "200, TLSv1.3, secp384r1"),
    ("only the group X448", s_server("-groups", "X448"), "version group", REFUSED, "200, TLSv1.3, x448"),
    ("only the group ffdhe3072", s_server("-groups", "ffdhe3072"), "version group", REFUSED, "200, TLSv1.3, ffdhe3072"),
    ("only the group brainpoolP384r1, TLS 1.2", s_server(TLS12, "-groups", "brainpoolP384r1"), "version group", REFUSED,
     "200, TLSv1.2, brainpoolP384r1"),
    ("only DHE, TLS 1.2", s_server(TLS12, "-cipher", "DHE-RSA-AES128-GCM-SHA256", key="RSA"), "suite", REFUSED,
     "200, TLS_DHE_RSA_WITH_AES_128_GCM_SHA256"),
    ("only RSA key exchange, TLS 1.2", s_server(TLS12, "-cipher", "AES128-SHA", key="RSA"), "suite", "200, TLS_RSA_WITH_AES_128_CBC_SHA"),
    ("only CBC with SHA-1, TLS 1.2", s_server(TLS12, "-cipher", "ECDHE-ECDSA-AES128-SHA"), "suite",
     "200, TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"),
    ("only AES-256-CCM, TLS 1.2", s_server(TLS12, "-cipher", "ECDHE-ECDSA-AES256-CCM"), "suite", REFUSED),
    ("only ChaCha20, TLS 1.3", s_server("-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"), "suite", "200, TLS_CHACHA20_POLY1305_SHA256"),
    ("only anonymous suites", s_server(TLS12, "-nocert", "-cipher", "ADH:AECDH:@SECLEVEL=0"), "suite", REFUSED),
    ("only suites without encryption", s_server(TLS12, "-cipher", "NULL:@SECLEVEL=0", key="RSA"), "suite", REFUSED),
    ("only SHA-1 signatures, TLS 1.2", s_server(TLS12, "-sigalgs", "RSA+SHA1", "-cipher", "ECDHE:@SECLEVEL=0", key="RSA"), "scheme",
     REFUSED),
    *(dict(title=f"{title}, with the leniency", start=s_server(TLS12, *arguments, key="RSA"), shown="version",
           boringSSL="unusable settings", openSSL=expected, options=LEGACY)
      for title, expected, arguments in (
          ("only anonymous suites", REFUSED, ("-nocert", "-cipher", "ADH:AECDH:@SECLEVEL=0")),
          ("only suites without encryption", REFUSED, ("-cipher", "NULL:@SECLEVEL=0")),
          ("only SHA-1 signatures", "200, TLSv1.2", ("-sigalgs", "RSA+SHA1", "-cipher", "ECDHE:@SECLEVEL=0")),
      )),
    ("only TLS 1.1", s_server("-tls1_1", "-cipher", "ALL:@SECLEVEL=0"), "version", "received protocol_version"),
    dict(title="only TLS 1.1, with the leniency", start=s_server("-tls1_1", "-cipher", "ALL:@SECLEVEL=0"), shown="version",
         boringSSL="unusable settings", openSSL="200, TLSv1.1", options=LEGACY),
    dict(title="only TLS 1.0, with the leniency", start=s_server("-tls1", "-cipher", "ALL:@SECLEVEL=0", key="RSA"), shown="version",
         boringSSL="unusable settings", openSSL="200, TLSv1.0", options=LEGACY),
    ("DHE with 1024 bits", s_server(TLS12, "-cipher", "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0", "-dhparam", "{short}", key="RSA"), "suite",
     REFUSED, "sent handshake_failure"),
    dict(title="DHE with 1024 bits, with the leniency", shown="suite", boringSSL="unusable settings",
         openSSL="200, TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", options=LEGACY,
         start=s_server(TLS12, "-cipher", "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0", "-dhparam", "{short}", key="RSA")),
    ("a staple, TLS 1.3", s_server(TLS13, "-status_file", "{staple}"), "staple", "200, staple"),
    ("a staple, TLS 1.2", s_server(TLS12, "-status_file", "{staple}"), "staple", "200, staple"),
    ("no staple", s_server(TLS13), "staple", "200, no staple"),
    *(dict(title=f"exporter, TLS 1.{number}", start=s_server(f"-tls1_{number}", exports=True), shown="exporter",
           boringSSL="connected, equal exporter", options=("--silent",)) for number in (3, 2)),
    dict(title="tickets, TLS 1.3", start=s_server(TLS13), shown="resumption", boringSSL="200, resumed", options=RESUME),
    dict(title="stateful tickets, TLS 1.3", start=s_server(TLS13, "-no_ticket"), shown="resumption", boringSSL="200, resumed",
         options=RESUME),
    dict(title="no tickets, TLS 1.3", start=s_server(TLS13, "-num_tickets", "0"), shown="resumption", boringSSL="200, not resumed",
         options=RESUME),
    dict(title="tickets, TLS 1.2", start=s_server(TLS12), shown="resumption", boringSSL="200, resumed", options=RESUME),
    dict(title="session ids, TLS 1.2", start=s_server(TLS12, "-no_ticket"), shown="resumption", boringSSL="200, resumed", options=RESUME),
    dict(title="a resumed staple, TLS 1.3", start=s_server(TLS13, "-status_file", "{staple}"), shown="resumption staple",
         boringSSL="200, resumed, staple", options=RESUME),
    dict(title="a resumed staple, TLS 1.2", start=s_server(TLS12, "-status_file", "{staple}"), shown="resumption staple",
         boringSSL="200, resumed, staple", options=RESUME),
    *(dict(title=f"{key} identity, TLS 1.{number}", start=s_server(f"-tls1_{number}", client=key), shown="requests issuers",
           boringSSL=f"{'unusable identity' if key in ('RSA-PSS', 'Ed448') else '200'}, asked, 1 issuer", openSSL="200, asked, 1 issuer",
           options=("--identity", f"{{{key}}}"))
      for key in ("P-256", "P-521", "RSA", "Ed25519", "RSA-PSS", "Ed448") for number in (2, 3)),
    dict(title="brainpoolP384r1 identity, TLS 1.2", start=s_server(TLS12, "-groups", "X25519:brainpoolP384r1", client="brainpoolP384r1"),
         shown="requests", boringSSL="unusable identity, asked", openSSL="200, asked", options=("--identity", "{brainpoolP384r1}")),
    ("no identity where one is required, TLS 1.3", s_server(TLS13, client="P-256"), "requests", "received certificate_required, asked"),
    ("no identity where one is required, TLS 1.2", s_server(TLS12, client="P-256"), "requests", "received handshake_failure, asked"),
    dict(title="the identity of a stranger, TLS 1.3", start=s_server(TLS13, client="P-256"), shown="requests",
         boringSSL="received unknown_ca, asked", options=("--identity", "{P-384}")),
    dict(title="the identity of a stranger, TLS 1.2", start=s_server(TLS12, client="P-256"), shown="requests",
         boringSSL="received unknown_ca, asked", options=("--identity", "{P-384}")),
    dict(title="ALPN with a common protocol", start=s_server("-alpn", "http/1.1"), shown="alpn", boringSSL="200, http/1.1",
         options=("--alpn", "h2", "--alpn", "http/1.1")),
    dict(title="ALPN without a common protocol", start=s_server("-alpn", "h2"), shown="alpn", boringSSL="received no_application_protocol",
         options=("--alpn", "http/1.1")),
    ("another server name, as an error",
     s_server(TLS13, "-servername", "a.test", "-servername_fatal", "-cert2", "{other}", "-key2", "{otherKey}"), "version",
     "received unrecognized_name"),
    ("another server name, as a warning, TLS 1.2", s_server(TLS12, "-servername", "a.test", "-cert2", "{other}", "-key2", "{otherKey}"),
     "version", "200, TLSv1.2"),
    ("records of 512 bytes", s_server("-max_send_frag", "512", "-split_send_frag", "512"), "version", "200, TLSv1.3"),
    dict(title="a server that the client refuses, TLS 1.3", start=s_server(TLS13), shown="alert",
         boringSSL="refused with certificate_revoked, alert 44 at the server", options=("--refuse", "44")),
    dict(title="a server that the client refuses, TLS 1.2", start=s_server(TLS12), shown="alert",
         boringSSL="refused with certificate_revoked, alert 44 at the server", options=("--refuse", "44")),
) + rows(
    "gnutls-serv",
    ("TLS 1.3", gnutls_serv(), "version scheme exporter", "200, TLSv1.3, ecdsa_secp256r1_sha256, equal exporter"),
    ("TLS 1.2", gnutls_serv(ONLY12), "version scheme exporter", "200, TLSv1.2, ecdsa_secp256r1_sha256, equal exporter"),
    ("RSA-PSS key", gnutls_serv(key="RSA-PSS"), "version scheme", REFUSED, "200, TLSv1.3, rsa_pss_pss_sha256"),
    ("Ed448 key", gnutls_serv(key="Ed448"), "version scheme", REFUSED, "200, TLSv1.3, ed448"),
    ("only the group X448", gnutls_serv("NORMAL:-GROUP-ALL:+GROUP-X448"), "version group", REFUSED, "200, TLSv1.3, x448"),
    ("only DHE, TLS 1.2", gnutls_serv(f"{ONLY12}:-KX-ALL:+DHE-RSA", key="RSA"), "suite", REFUSED,
     "200, TLS_DHE_RSA_WITH_AES_128_GCM_SHA256"),
    ("only TLS 1.0", gnutls_serv("NORMAL:-VERS-ALL:+VERS-TLS1.0", key="RSA"), "version", "sent protocol_version"),
    dict(title="only TLS 1.0, with the leniency", start=gnutls_serv("NORMAL:-VERS-ALL:+VERS-TLS1.0", key="RSA"), shown="version",
         boringSSL="unusable settings", openSSL="200, TLSv1.0", options=LEGACY),
    ("no secure renegotiation (RFC 5746), TLS 1.2", gnutls_serv(f"{ONLY12}:%DISABLE_SAFE_RENEGOTIATION"), "version", "200, TLSv1.2",
     "sent handshake_failure"),
    dict(title="no secure renegotiation, with the leniency", start=gnutls_serv(f"{ONLY12}:%DISABLE_SAFE_RENEGOTIATION"), shown="version",
         boringSSL="unusable settings", openSSL="200, TLSv1.2", options=LEGACY),
    dict(title="a renegotiation without RFC 5746", shown="", boringSSL="renegotiation refused", openSSL="sent handshake_failure",
         options=("--line", "**REHANDSHAKE**"), start=gnutls_serv(f"{ONLY12}:%DISABLE_SAFE_RENEGOTIATION", task="--echo")),
    dict(title="the same, with the leniency", shown="", boringSSL="unusable settings", openSSL="renegotiation refused",
         options=("--line", "**REHANDSHAKE**", "--legacy"), start=gnutls_serv(f"{ONLY12}:%DISABLE_SAFE_RENEGOTIATION", task="--echo")),
    dict(title="post-handshake authentication", start=gnutls_serv(task="--echo"), shown="requests",
         boringSSL="received internal_error, not asked", openSSL="Successfully executed command, asked after the handshake",
         options=("--line", "**REAUTH**", "--identity", "{P-256}", "--alpn", "http/1.1")),
    ("no extended master secret, TLS 1.2", gnutls_serv(f"{ONLY12}:%NO_SESSION_HASH"), "version", "200, TLSv1.2"),
    ("a staple, TLS 1.3", gnutls_serv("NORMAL", "--ocsp-response={staple}", "--ignore-ocsp-response-errors"), "staple", "200, staple"),
    ("a staple, TLS 1.2", gnutls_serv(ONLY12, "--ocsp-response={staple}", "--ignore-ocsp-response-errors"), "staple", "200, staple"),
    dict(title="tickets, TLS 1.3", start=gnutls_serv(), shown="resumption", boringSSL="200, resumed", options=RESUME),
    dict(title="tickets that permit early data", start=gnutls_serv("NORMAL", "--earlydata", "--maxearlydata=1000"), shown="resumption",
         boringSSL="200, resumed", options=RESUME),
    dict(title="tickets, TLS 1.2", start=gnutls_serv(ONLY12), shown="resumption", boringSSL="200, resumed", options=RESUME),
    dict(title="session ids, TLS 1.2", start=gnutls_serv(ONLY12, "--noticket"), shown="resumption", boringSSL="200, resumed",
         options=RESUME),
    dict(title="an identity, TLS 1.3", start=gnutls_serv(client="P-256"), shown="requests issuers", boringSSL="200, asked, 1 issuer",
         options=("--identity", "{P-256}")),
    ("no identity where one is required, TLS 1.3", gnutls_serv(client="P-256"), "requests", "received certificate_required, asked"),
    ("no identity where one is required, TLS 1.2", gnutls_serv(ONLY12, client="P-256"), "requests", "received decode_error, asked"),
    dict(title="ALPN without a common protocol, as an error", start=gnutls_serv("NORMAL", "--alpn=h2", "--alpn-fatal"), shown="alpn",
         boringSSL="received no_application_protocol", options=("--alpn", "http/1.1")),
    ("another server name, as an error", gnutls_serv("NORMAL", "--sni-hostname=a.test", "--sni-hostname-fatal"), "version",
     "received unrecognized_name"),
    dict(title="a server that the client refuses", start=gnutls_serv(), shown="", boringSSL="refused with certificate_revoked",
         options=("--refuse", "44")),
) + rows(
    "Go",
    ("TLS 1.3", go("0x304"), "version scheme exporter", "200, TLSv1.3, ecdsa_secp256r1_sha256, equal exporter"),
    ("TLS 1.2", go("0x303"), "version scheme exporter", "200, TLSv1.2, ecdsa_secp256r1_sha256, equal exporter"),
    ("Ed25519 key", go("0x304", key="Ed25519"), "version scheme", "200, TLSv1.3, ed25519"),
    ("only TLS 1.1", go("0x302"), "version", "received protocol_version"),
    dict(title="only TLS 1.1, with the leniency", start=go("0x302"), shown="version", boringSSL="unusable settings", openSSL="200, TLSv1.1",
         options=LEGACY),
    ("a staple and a timestamp, TLS 1.3", go("0x304", "-staple", "{staple}", "-timestamp", "test"), "staple timestamps",
     "200, staple, 8 bytes of timestamps"),
    ("a staple and a timestamp, TLS 1.2", go("0x303", "-staple", "{staple}", "-timestamp", "test"), "staple timestamps",
     "200, staple, 8 bytes of timestamps"),
    dict(title="tickets, TLS 1.3", start=go("0x304"), shown="resumption", boringSSL="200, resumed", options=RESUME),
    dict(title="tickets, TLS 1.2", start=go("0x303"), shown="resumption", boringSSL="200, resumed", options=RESUME),
    dict(title="no tickets", start=go("0x304", "-no-tickets"), shown="resumption", boringSSL="200, not resumed", options=RESUME),
    dict(title="an identity, TLS 1.3", start=go("0x304", client="P-256"), shown="requests issuers", boringSSL="200, asked, 1 issuer",
         options=("--identity", "{P-256}")),
    # Newer versions of Go send the alert of RFC 8446.
    ("no identity where one is required, TLS 1.3", go("0x304", client="P-256"), "requests",
     "received bad_certificate, asked or received certificate_required, asked"),
    ("no identity where one is required, TLS 1.2", go("0x303", client="P-256"), "requests", "received bad_certificate, asked"),
) + rows(
    "tlslite-ng",
    ("only the group X25519MLKEM768", tlslite("--groups", "x25519mlkem768"), "version group exporter",
     "200, TLSv1.3, X25519MLKEM768, equal exporter", "received insufficient_security"),
    ("TLS 1.2", tlslite("--max-ver", "tls1.2"), "version exporter", "200, TLSv1.2, equal exporter"),
    dict(title="tickets, TLS 1.3", start=tlslite("--tickets", "3"), shown="resumption", boringSSL="200, resumed", options=RESUME),
    dict(title="an identity, and again after the handshake", start=tlslite("--reqcert", "--request-pha", "--groups", "x25519"),
         shown="requests", boringSSL="200, asked", openSSL="200, asked and asked after the handshake",
         options=("--identity", "{P-256}", "--alpn", "http/1.1")),
) + rows(
    "nginx",
    ("a staple, TLS 1.3", running("nginx13"), "staple", "200, staple"),
    ("a staple, TLS 1.2", running("nginx12"), "staple", "200, staple"),
    dict(title="tickets, TLS 1.3", start=running("nginx13"), shown="resumption", boringSSL="200, resumed", options=RESUME),
    dict(title="tickets, TLS 1.2", start=running("nginx12"), shown="resumption", boringSSL="200, resumed", options=RESUME),
    dict(title="session ids, TLS 1.2", start=running("nginxIds"), shown="resumption", boringSSL="200, resumed", options=RESUME),
    dict(title="an identity by HTTP status", start=running("nginxRequired"), shown="requests issuers", boringSSL="200, asked, 1 issuer",
         options=("--identity", "{identity}")),
    ("no identity where an HTTP status requires one", running("nginxRequired"), "requests", "400, asked"),
    ("HTTP without TLS", running("nginxPlain"), "", "not TLS"),
) + rows(
    "Apache",
    dict(title="a path that requires an identity, TLS 1.3", start=running("tls13", "/secret/page.txt"), shown="requests issuers",
         boringSSL="403, not asked", openSSL="200, asked after the handshake, 1 issuer",
         options=("--identity", "{identity}", "--alpn", "http/1.1")),
    dict(title="the same, without an identity", start=running("tls13", "/secret/page.txt"), shown="requests", boringSSL="403, not asked",
         openSSL="received certificate_required, asked after the handshake", options=("--alpn", "http/1.1")),
    dict(title="a path that requires an identity, TLS 1.2", start=running("tls12", "/secret/page.txt"), shown="requests issuers",
         boringSSL="200, asked in renegotiation, 1 issuer", options=("--identity", "{identity}")),
    dict(title="the same, without an identity", start=running("tls12", "/secret/page.txt"), shown="requests",
         boringSSL="received handshake_failure, asked in renegotiation"),
    dict(title="the same, with the identity of a stranger", start=running("tls12", "/secret/page.txt"), shown="requests",
         boringSSL="received unknown_ca, asked in renegotiation", options=("--identity", "{stranger}")),
    dict(title="a path with an optional identity, TLS 1.3", start=running("tls", "/wanted/page.txt"), shown="requests",
         boringSSL="403, not asked", openSSL="200, asked after the handshake", options=("--alpn", "http/1.1")),
    dict(title="a path with an optional identity, TLS 1.2", start=running("tls12", "/wanted/page.txt"), shown="requests",
         boringSSL="200, asked in renegotiation"),
    dict(title="a host that requires an identity, TLS 1.3", start=running("client13"), shown="requests issuers resumption",
         boringSSL="200, asked, 1 issuer, resumed", options=("--identity", "{identity}", *RESUME)),
    dict(title="a host that requires an identity, TLS 1.2", start=running("client12"), shown="requests issuers resumption",
         boringSSL="200, asked, 1 issuer, resumed", options=("--identity", "{identity}", *RESUME)),
    ("the same, without an identity", running("client12"), "requests", "received handshake_failure, asked"),
    ("HTTP without TLS", running("plain"), "", "not TLS"),) + [
    request("Apache, a path that requires an identity, TLS 1.2", "tls12", "/secret/page.txt", "200, TLSv1.2", options=IDENTITY),
    request("the same, without an identity", "tls12", "/secret/page.txt", "tls.client-certificate-required"),
    request("the same, with the identity of a stranger", "tls12", "/secret/page.txt", "tls.client-certificate-refused", options=STRANGER),
    request("Apache, a path that requires an identity, TLS 1.2 and 1.3", "tls", "/secret/page.txt", "200, TLSv1.2", "200, TLSv1.3",
            options=IDENTITY),
    request("the same, without an identity", "tls", "/secret/page.txt", "tls.client-certificate-required"),
    request("the same, only TLS 1.3", "tls13", "/secret/page.txt", "tls.post-handshake-authentication-required", "200, TLSv1.3",
            options=IDENTITY),
    request("the same, with the identity of a stranger", "tls13", "/secret/page.txt", "tls.post-handshake-authentication-required",
            "tls.client-certificate-refused", options=STRANGER),
    request("Apache, a path with an optional identity, TLS 1.2 and 1.3", "tls", "/wanted/page.txt", "200, TLSv1.2", "200, TLSv1.3",
            options=IDENTITY),
    request("the same, without an identity", "tls", "/wanted/page.txt", "200, TLSv1.2", "200, TLSv1.3"),
    request("Apache, a host that requires an identity", "client13", "/page.txt", "200, TLSv1.3", options=IDENTITY),
    request("nginx, a staple where revocation must be known", "nginx13", "/page.txt", "200, TLSv1.3, judged good", options=HARD_FAIL),
    request("the same in TLS 1.2", "nginx12", "/page.txt", "200, TLSv1.2, judged good", options=HARD_FAIL),
    request("Apache, no staple where revocation must be known", "tls13", "/page.txt", "trust.revocation-unknown", options=HARD_FAIL),
]
