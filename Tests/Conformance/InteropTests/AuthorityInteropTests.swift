// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

/// Tests of an authority's certificates, revocation lists and responses with other implementations.
@Suite(.enabled(if: isInstalled("openssl", "certtool"), "openssl or certtool is missing: run make interop"))
struct AuthorityInteropTests {
    /// The pkilint programs, if scripts/interop/run has installed them.
    private static let linters = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".tools/pkilint/bin").path

    /// A script that issues certificates; each step that fails ends with a different status.
    private static let issuing = """
        ca="$PRODUCTS/countersign-ca"
        lint() { test ! -x "$LINTERS/lint_pkix_cert" || "$LINTERS/lint_pkix_cert" lint -s NOTICE "$1" >&2; }
        $ca init Home --for home.example --for 192.168.0.0/16 --key $KEY --key-store file \\
            --crl-url http://ca.home.example/crl --ocsp-url http://ca.home.example/ocsp || exit 10
        $ca issue --server www.home.example 192.168.0.2 || exit 11
        $ca issue --client mary@home.example || exit 12
        $ca issue --server old.home.example || exit 13
        $ca revoke old.home.example --reason superseded || exit 14
        $ca export -o root.pem && $ca export issuing -o issuing.pem && $ca crl --pem -o crl.pem || exit 15
        for name in www.home.example mary@home.example; do
            openssl verify -x509_strict -CAfile root.pem -untrusted $name.pem $name.pem || exit 20
            certtool --verify --load-ca-certificate root.pem --infile $name.pem || exit 21
        done
        crl="-crl_check -CAfile root.pem -CRLfile crl.pem"
        openssl verify $crl -untrusted www.home.example.pem www.home.example.pem || exit 22
        openssl verify $crl -untrusted old.home.example.pem old.home.example.pem && exit 23
        for name in root issuing www.home.example mary@home.example; do
            openssl x509 -in $name.pem -out leaf.pem && lint leaf.pem || exit 24
        done
        test ! -x "$LINTERS/lint_crl" || "$LINTERS/lint_crl" lint -t CRL -p PKIX -s NOTICE crl.pem >&2 || exit 25
        openssl ecparam -name prime256v1 -genkey -noout -out other-key.pem || exit 30
        openssl req -new -key other-key.pem -subj /CN=p.home.example -addext subjectAltName=DNS:p.home.example -out p.csr || exit 31
        $ca sign p.csr --yes -o p.pem && openssl verify -x509_strict -CAfile root.pem -untrusted p.pem p.pem || exit 32
        openssl req -new -key other-key.pem -subj /CN=p -addext basicConstraints=critical,CA:TRUE -out ca.csr || exit 33
        $ca sign ca.csr --yes && exit 34
        exit 0
        """

    @Test(
        "OpenSSL, GnuTLS and pkilint accept an authority's certificates",
        arguments: ["p256", "p384", "rsa2048", "rsa3072", "ed25519"])
    func issued(key: String) async throws {
        try await Script.succeeds(Self.issuing, ["KEY": key, "LINTERS": Self.linters])
    }

    private static let installing = """
        ca="$PRODUCTS/countersign-ca"
        $ca init Home --for home.example --key-store file || exit 10
        mkdir -p .pki/nssdb && certutil -N -d sql:.pki/nssdb --empty-password || exit 11
        keytool=$(readlink -f "$(command -v keytool)")
        if [ -n "$keytool" ]; then
            mkdir -p java/bin java/lib/security && ln -s "$keytool" java/bin/keytool || exit 12
            $ca export --format der -o root.der
            keytool -importcert -noprompt -alias other -file root.der -storepass changeit -keystore java/lib/security/cacerts || exit 13
            export JAVA_HOME="$PWD/java"
        fi
        $ca install --store nss --store java --yes || exit 20
        certutil -L -d sql:.pki/nssdb | grep -q 'countersign-.*C,,' || exit 21
        [ -z "$keytool" ] || keytool -list -keystore java/lib/security/cacerts -storepass changeit | grep -q countersign- || exit 22
        $ca uninstall --store nss --store java --yes || exit 23
        certutil -L -d sql:.pki/nssdb | grep -q countersign- && exit 24
        [ -z "$keytool" ] || keytool -list -keystore java/lib/security/cacerts -storepass changeit | grep -q countersign- && exit 25
        exit 0
        """

    @Test(
        "The root is installed in the stores of NSS and Java, and removed",
        .enabled(if: isInstalled("certutil"), "certutil is missing: run make interop"))
    func installed() async throws {
        try await Script.succeeds(Self.installing, [:])
    }

    private static let serving = """
        ca="$PRODUCTS/countersign-ca"
        $ca init Home --for home.example --key-store file && $ca issue --server a.home.example || exit 10
        $ca issue --server b.home.example && $ca export issuing -o issuing.pem && $ca export -o root.pem || exit 11
        cat issuing.pem root.pem > all.pem
        # Child processes inherit the blocked signals of the test's threads, so only SIGKILL ends them.
        "$PRODUCTS/countersign-ca-serve" --port 0 > serving &
        server=$!
        trap 'kill -KILL $server' EXIT
        for turn in 1 2 3 4 5 6 7 8 9 10; do grep -q Serving serving && break; sleep 0.5; done
        url=$(grep -o 'http://[0-9.:]*' serving | head -1)
        ask() { openssl ocsp -issuer issuing.pem -url $url/ocsp -CAfile all.pem "$@" 2> /dev/null; }
        ask -cert a.home.example.pem | grep -q "a.home.example.pem: good" || exit 20
        ask -sha256 -no_nonce -cert a.home.example.pem | grep -q "a.home.example.pem: good" || exit 21
        ask -serial 4660 -no_nonce | grep -q "4660: unknown" || exit 22
        $ca revoke a.home.example --reason key-compromise || exit 23
        ask -cert a.home.example.pem -no_nonce | grep -q "Reason: keyCompromise" || exit 24
        ask -cert b.home.example.pem -no_nonce | grep -q "b.home.example.pem: good" || exit 25
        openssl ocsp -no_nonce -issuer issuing.pem -cert a.home.example.pem -reqout request || exit 26
        path=$(base64 -w 0 request | sed 's/+/%2B/g; s/=/%3D/g; s,/,%2F,g')
        curl -sf "$url/ocsp/$path" -o response || exit 27
        openssl ocsp -respin response -CAfile all.pem -issuer issuing.pem -cert a.home.example.pem -no_nonce | grep -q revoked || exit 28
        curl -sf $url/crl -o crl && openssl crl -inform DER -in crl -noout -text | grep -q "Key Compromise" || exit 30
        curl -sf $url/authority.cer -o issuing.der && openssl x509 -inform DER -in issuing.der -noout || exit 31
        curl -sf $url/health/ready && curl -sf $url/health/live || exit 32
        test "$(curl -s -o /dev/null -w '%{http_code}' --data-binary rubbish $url/ocsp)" = 200 || exit 33
        test "$(head -c 9000 /dev/zero | curl -s -o /dev/null -w '%{http_code}' --data-binary @- $url/ocsp)" = 413 || exit 34
        test "$(curl -s -o /dev/null -w '%{http_code}' $url/ocsp/%2)" = 400 || exit 35
        $ca audit || exit 36
        exit 0
        """

    @Test("OpenSSL accepts the responder, which reports a revocation at once", .enabled(if: isInstalled("curl")))
    func served() async throws {
        try await Script.succeeds(Self.serving, [:])
    }

    #if PostgreSQL
        /// A script in which three loops issue with one database; one loop
        /// is killed, and the database server is stopped and restarted.
        private static let sharing =
            PostgreSQL.start + """
                ca="$PRODUCTS/countersign-ca"
                trap 'stop' EXIT
                $ca init Home --for home.example --key-store file --database "$database" || exit 14
                test ! -e "$COUNTERSIGN_HOME/ca/state.sqlite" || exit 15
                cat > loop.sh <<'LOOP'
                for number in $(seq 1 $2); do
                    name=p$1-$number.home.example
                    "$PRODUCTS/countersign-ca" issue --server $name && echo $name >> done
                    [ $((number % 3)) != 0 ] || { "$PRODUCTS/countersign-ca" revoke $name && echo $name >> revoked; }
                done
                LOOP
                sh loop.sh 1 15 & one=$!
                setsid sh loop.sh 2 1000 & two=$!
                sh loop.sh 3 15 & three=$!
                sleep 1
                kill -KILL -$two
                wait $one $three
                for name in $(cat done); do $ca list --all | grep -q " $name " || exit 20; done
                for name in $(cat revoked); do $ca list --all | grep " $name " | grep -q revoked || exit 21; done
                test $(grep -c '^p[13]-' done) = 30 || exit 22
                $ca audit || exit 23
                stop
                $ca issue --server down.home.example && exit 24
                start || exit 25
                $ca issue --server up.home.example && $ca audit || exit 26
                query "DELETE FROM log" && exit 27
                query "UPDATE log SET time = 0" && exit 28
                query "TRUNCATE log" && exit 30
                end="UPDATE certificate SET not_after = not_after"
                query "$end + 1 WHERE revoked_at IS NOT NULL" && $ca audit && exit 31
                query "$end - 1 WHERE revoked_at IS NOT NULL" && $ca audit || exit 32
                query "UPDATE head SET list_number = list_number + 1" && $ca audit && exit 33
                query "UPDATE head SET list_number = list_number - 1" && $ca crl -o before.crl > before || exit 34
                query "UPDATE certificate SET revoked_at = NULL" && $ca audit && exit 29
                $ca crl -o after.crl > after && test "$(cut -d : -f 2 before)" = "$(cut -d : -f 2 after)" || exit 35
                exit 0
                """

        @Test(
            "Several processes share a PostgreSQL database, even if one of them is killed",
            .enabled(if: PostgreSQL.programs != nil, "PostgreSQL is missing: run make interop"))
        func shared() async throws {
            try await Script.succeeds(Self.sharing, ["PROGRAMS": try #require(PostgreSQL.programs)])
        }
    #endif
}
