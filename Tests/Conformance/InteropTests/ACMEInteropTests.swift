// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

/// Tests of the Linux distribution's ACME clients with this package's server.
@Suite(.enabled(if: isInstalled("openssl", "python3"), "openssl or python3 is missing: run make interop"))
struct ACMEInteropTests {
    /// Starts an authority for localhost, its ACME server, and a web server for the folder `web`.
    private static let server = """
        ca="$PRODUCTS/countersign-ca"
        $ca init Home --for localhost --key-store file && $ca export -o root.pem || exit 10
        acme=$(free) web=$(free) tls=$(free)
        url="https://localhost:$acme/acme"
        # Child processes inherit the blocked signals of the test's threads, so only SIGKILL ends them.
        trap 'kill -KILL $servers' EXIT
        cat > has-record <<'END'
        grep -qx "$1 $2" records
        END
        "$PRODUCTS/countersign-ca-serve" --port 0 --acme "$url" --http01-port $web --tls-alpn01-port $tls \\
            --dns-check 'sh has-record' $SERVING > serving 2> log &
        servers="$!"
        mkdir -p web/.well-known/acme-challenge
        python3 -m http.server -d web --bind 127.0.0.1 $web 2> requests &
        servers="$servers $!"
        for turn in $(seq 240); do
            grep -q directory serving && curl -s --cacert root.pem "$url/directory" | grep -q newNonce && break
            sleep 0.25
        done
        fail() { cat log serving requests *.log >&2 2> /dev/null; exit "$1"; }
        check() { openssl verify -x509_strict -CAfile root.pem -untrusted "$1" -verify_hostname localhost "$1" || fail 90; }

        """

    private static let certbot = """
        export REQUESTS_CA_BUNDLE="$PWD/root.pem"
        run() { certbot "$@" --server "$url/directory" --config-dir c --work-dir w --logs-dir l -n > certbot.log 2>&1; }
        run certonly --webroot -w web -d localhost -m mary@home.example --agree-tos || fail 20
        check c/live/localhost/fullchain.pem
        run renew --force-renewal --no-random-sleep-on-renew || fail 21
        test $($ca list --all | grep -c ' localhost ') = 2 || fail 22
        echo 'echo "_acme-challenge.$CERTBOT_DOMAIN $CERTBOT_VALIDATION" >> records' > add-record
        run certonly --manual --preferred-challenges dns --manual-auth-hook 'sh add-record' -d localhost --force-renewal || fail 23
        check c/live/localhost/fullchain.pem
        run revoke --cert-name localhost --reason superseded --no-delete-after-revoke || fail 24
        $ca list --all | grep ' localhost ' | grep -q revoked || fail 25
        run update_account -m other@home.example || fail 26
        run unregister || fail 27
        $ca audit || fail 28
        exit 0
        """

    @Test("certbot", .enabled(if: isInstalled("certbot"), "certbot is missing: run make interop"))
    func certbot() async throws { try await Script.succeeds(Self.server + Self.certbot, ["SERVING": ""]) }

    private static let lego = """
        export LEGO_CA_CERTIFICATES="$PWD/root.pem"
        run() { lego --server "$url/directory" --accept-tos -m mary@home.example -d localhost "$@" >> lego.log 2>&1; }
        run --http --http.port "127.0.0.1:$web" run && fail 20
        kill -KILL ${servers#* } && servers="${servers%% *}" && sleep 0.5
        run --http --http.port ":$web" run || fail 21
        check .lego/certificates/localhost.crt
        run --http --http.port ":$web" renew --no-random-sleep --days 90 || fail 22
        run --key-type rsa2048 --http --http.port ":$web" renew --no-random-sleep --days 90 --reuse-key=false || fail 23
        rm -r .lego/certificates
        run --tls --tls.port ":$tls" run || fail 24
        check .lego/certificates/localhost.crt
        run revoke || fail 25
        $ca list --all | grep ' localhost ' | grep -q revoked || fail 26
        $ca audit || fail 27
        exit 0
        """

    @Test("lego, also with tls-alpn-01", .enabled(if: isInstalled("lego"), "lego is missing: run make interop"))
    func lego() async throws { try await Script.succeeds(Self.server + Self.lego, ["SERVING": ""]) }

    private static let externalAccount = """
        export REQUESTS_CA_BUNDLE="$PWD/root.pem"
        echo "mary $(printf 0123456789abcdef0123456789abcdef | base64 | tr -d '=')" > accounts
        run() { certbot certonly --server "$url/directory" --config-dir c --work-dir w --logs-dir l -n --webroot -w web \\
            -d localhost -m mary@home.example --agree-tos "$@" > certbot.log 2>&1; }
        run && fail 20
        run --eab-kid john --eab-hmac-key "$(printf 0123456789abcdef0123456789abcdef | base64)" && fail 21
        run --eab-kid mary --eab-hmac-key "$(printf 0123456789abcdef0123456789abcdeg | base64)" && fail 22
        run --eab-kid mary --eab-hmac-key "$(printf 0123456789abcdef0123456789abcdef | base64)" || fail 23
        check c/live/localhost/fullchain.pem
        exit 0
        """

    @Test(
        "The client uses an external account if the server requires one",
        .enabled(if: isInstalled("certbot"), "certbot is missing: run make interop"))
    func externalAccount() async throws {
        try await Script.succeeds(Self.server + Self.externalAccount, ["SERVING": "--external-accounts accounts"])
    }

    private static let dehydrated = """
        export CURL_CA_BUNDLE="$PWD/root.pem"
        printf 'CA="%s/directory"\\nWELLKNOWN="%s/web/.well-known/acme-challenge"\\nCONTACT_EMAIL=mary@home.example\\nKEY_ALGO=prime256v1\\n' \\
            "$url" "$PWD" > config
        run() { dehydrated -f config "$@" > dehydrated.log 2>&1; }
        run --register --accept-terms || fail 20
        run -c -d localhost || fail 21
        check certs/localhost/fullchain.pem
        run -c -d localhost --force || fail 22
        run --revoke certs/localhost/cert.pem || fail 23
        $ca list --all | grep ' localhost ' | grep -q revoked || fail 24
        $ca audit || fail 25
        exit 0
        """

    @Test("dehydrated", .enabled(if: isInstalled("dehydrated", "curl"), "dehydrated is missing: run make interop"))
    func dehydrated() async throws { try await Script.succeeds(Self.server + Self.dehydrated, ["SERVING": ""]) }

    private static let acmeTiny = """
        export SSL_CERT_FILE="$PWD/root.pem"
        openssl genrsa -out account.pem 2048 && openssl ecparam -name prime256v1 -genkey -noout -out key.pem || fail 20
        openssl req -new -key key.pem -subj / -addext subjectAltName=DNS:localhost -out request.pem || fail 21
        run() { acme-tiny --account-key account.pem --csr "$1" --acme-dir web/.well-known/acme-challenge --disable-check \\
            --directory-url "$url/directory" 2> tiny.log; }
        run request.pem > chain.pem || fail 22
        check chain.pem
        openssl req -new -key key.pem -subj / -addext subjectAltName=DNS:other.example -out other.pem
        run other.pem && fail 23
        grep -q rejectedIdentifier tiny.log || fail 24
        exit 0
        """

    @Test("acme-tiny", .enabled(if: isInstalled("acme-tiny"), "acme-tiny is missing: run make interop"))
    func acmeTiny() async throws { try await Script.succeeds(Self.server + Self.acmeTiny, ["SERVING": ""]) }

    private static let ours = """
        kill -KILL ${servers#* } && servers="${servers%% *}"
        export COUNTERSIGN_HOME="$PWD/other"
        issue() { $ca issue --acme "$url/directory" --server localhost --out out "$@"; }
        mkdir out web2
        issue --http-port $web && fail 20
        issue --anchor root.pem --http-port $web --hook 'echo done >> hooks' --json > first || fail 21
        check out/localhost.pem
        cp out/localhost.pem before
        issue --anchor root.pem --http-port $web --hook 'echo done >> hooks' --json > second || fail 22
        grep -q '"isNew" *: *true' first && grep -q '"isNew" *: *false' second && cmp -s out/localhost.pem before || fail 23
        test $(grep -c done hooks) = 1 || fail 24
        issue --anchor root.pem --tls-port $tls --force --key rsa2048 || fail 25
        check out/localhost.pem
        cmp -s out/localhost.pem before && fail 26
        cat > zone <<'END'
        [ "$1" = remove ] || echo "$2 $3" >> records
        END
        issue --anchor root.pem --dns-hook 'sh zone' --force --file named || fail 27
        check out/named.pem
        python3 -m http.server -d web2 --bind 127.0.0.1 $web 2> requests &
        servers="$servers $!"
        sleep 1
        issue --anchor root.pem --webroot web2 --file hooked || fail 28
        check out/hooked.pem
        test -z "$(ls web2/.well-known/acme-challenge)" || fail 29
        openssl x509 -in out/hooked.pem -noout -serial > serial
        COUNTERSIGN_HOME="$PWD/home" $ca revoke $(cut -d= -f2 serial | tr A-F a-f) || fail 30
        issue --anchor root.pem --webroot web2 --file hooked --json | grep -q '"isNew" *: *true' || fail 31
        $ca issue --acme "$url/directory" --anchor root.pem --server other.example --webroot web2 --out out && fail 32
        # A redirect to a port other than 80 and 443 is not followed.
        kill -KILL ${servers#* } && servers="${servers%% *}"
        other=$(free)
        cat > redirect.py <<'END'
        import http.server, sys
        class Redirect(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(302)
                self.send_header("Location", "http://localhost:" + sys.argv[2] + self.path)
                self.end_headers()
        http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Redirect).serve_forever()
        END
        python3 redirect.py $web $other 2> redirects & servers="$servers $!"
        python3 -m http.server -d web2 --bind 127.0.0.1 $other 2> requests & servers="$servers $!"
        sleep 1
        issue --anchor root.pem --webroot web2 --file redirected 2> refusal && fail 35
        grep -q 'GET /.well-known' redirects && grep -q redirect refusal || fail 36
        grep -q 'GET /.well-known' requests && fail 37
        test ! -e out/other.example-key.pem || fail 33
        COUNTERSIGN_HOME="$PWD/home" $ca audit || fail 34
        exit 0
        """

    @Test("Our client obtains certificates with every challenge, and renews them only when due or revoked")
    func ours() async throws { try await Script.succeeds(Self.server + Self.ours, ["SERVING": ""]) }
}

/// Tests of this package's client with pebble, which rejects nonces and delays responses at random.
@Suite(
    .enabled(
        if: isInstalled("pebble", "pebble-challtestsrv", "openssl", "python3", "curl"),
        "pebble, openssl, python3 or curl is missing: run make interop"))
struct PebbleInteropTests {
    private static let pebble = """
        ca="$PRODUCTS/countersign-ca"
        acme=$(free) management=$(free) web=$(free) tls=$(free) names=$(free) zone=$(free)
        $ca init Home --for localhost --key-store file && $ca export -o root.pem && $ca issue --server localhost || exit 10
        cat > config.json <<END
        {"pebble": {"listenAddress": "127.0.0.1:$acme", "managementListenAddress": "127.0.0.1:$management",
            "certificate": "localhost.pem", "privateKey": "localhost-key.pem", "httpPort": $web, "tlsPort": $tls}}
        END
        # Child processes inherit the blocked signals of the test's threads, so only SIGKILL ends them.
        trap 'kill -KILL $servers' EXIT
        pebble-challtestsrv -dns01 "127.0.0.1:$names" -management "127.0.0.1:$zone" -http01 "" -https01 "" -tlsalpn01 "" \
            -defaultIPv6 "" > names.log 2>&1 &
        servers="$!"
        export PEBBLE_WFE_NONCEREJECT=25 PEBBLE_VA_SLEEPTIME=2 PEBBLE_ALTERNATE_ROOTS=1 PEBBLE_AUTHZREUSE=0
        pebble -config config.json -dnsserver "127.0.0.1:$names" -strict > pebble.log 2>&1 &
        servers="$servers $!"
        url="https://localhost:$acme/dir"
        for turn in $(seq 240); do curl -s --cacert root.pem "$url" | grep -q newNonce && break; sleep 0.25; done
        curl -s --cacert root.pem "https://localhost:$management/roots/0" > anchor.pem
        fail() { cat pebble.log names.log >&2; exit "$1"; }
        issue() { $ca issue --acme "$url" --anchor root.pem --out out "$@"; }
        check() { openssl verify -CAfile anchor.pem -untrusted "$1" -verify_hostname "$2" "$1" || fail 90; }
        cat > change-zone <<'END'
        case $1 in
        add) curl -sf -d "{\\"host\\": \\"$2.\\", \\"value\\": \\"$3\\"}" "http://127.0.0.1:$ZONE/set-txt" ;;
        remove) curl -sf -d "{\\"host\\": \\"$2.\\"}" "http://127.0.0.1:$ZONE/clear-txt" ;;
        esac
        END
        export ZONE=$zone COUNTERSIGN_HOME="$PWD/other"
        mkdir out
        issue --server www.home.example --http-port $web && fail 20
        issue --server www.home.example home.example --http-port $web --agree-to-terms --contact mary@home.example || fail 21
        check out/www.home.example.pem www.home.example
        check out/www.home.example.pem home.example
        issue --server www.home.example home.example --http-port $web --agree-to-terms | grep -q 'not due' || fail 22
        issue --server tls.home.example --tls-port $tls --agree-to-terms || fail 23
        check out/tls.home.example.pem tls.home.example
        issue --server '*.home.example' home.example --dns-hook 'sh change-zone' --agree-to-terms --key rsa2048 || fail 24
        check out/_.home.example.pem any.home.example
        # Pebble reuses an earlier authorization in one of a hundred orders, so this name has none.
        issue --server '*.other.example' --http-port $web --agree-to-terms --file other && fail 25
        test $(ls "$COUNTERSIGN_HOME/acme" | wc -l) = 1 || fail 26
        exit 0
        """

    @Test("pebble issues certificates with each challenge, whatever nonces it rejects")
    func pebble() async throws { try await Script.succeeds(Self.pebble) }
}
