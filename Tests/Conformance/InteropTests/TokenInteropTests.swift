// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

/// SoftHSM, a PKCS#11 token in software.
enum SoftHSM {
    /// The path of its module on Debian and with Homebrew.
    static let module = [
        "/usr/lib/softhsm/libsofthsm2.so", "/opt/homebrew/lib/softhsm/libsofthsm2.so",
        "/usr/local/lib/softhsm/libsofthsm2.so",
    ].first { FileManager.default.fileExists(atPath: $0) }

    static let isPresent = module != nil && isInstalled("softhsm2-util")
}

/// Tests of an authority whose keys are in a token, with other implementations.
@Suite(.enabled(if: SoftHSM.isPresent, "softhsm2 is missing: run make interop"))
struct TokenInteropTests {
    /// Initializes a token in the test's folder, and defines the variables of the steps.
    private static let token = """
        ca="$PRODUCTS/countersign-ca"
        export SOFTHSM2_CONF="$PWD/softhsm2.conf"
        mkdir tokens && printf 'directories.tokendir = %s/tokens\\nlog.level = ERROR\\n' "$PWD" > softhsm2.conf || exit 1
        softhsm2-util --init-token --free --label home --pin 1234 --so-pin 5678 || exit 2
        (umask 077; echo 1234 > pin; echo 4321 > wrong)
        ln -s "$MODULE" module.so || exit 3
        pin="--token-pin-file pin"
        token="--key-store token --token pkcs11:token=home --token-module module.so"
        refused() { code=$1; shift; "$@" --json > refusal 2>&1 && return 1; grep -q "\\"$code\\"" refusal || { cat refusal >&2; return 1; }; }
        objects() { pkcs11-tool --module "$MODULE" --login --pin 1234 --list-objects "$@"; }

        """

    private static let issuing =
        token + """
            $ca init Home --for home.example --key $KEY $token $pin > made || exit 10
            grep -q 'pkcs11:token=home;object=Home%20issuing;id=' made || exit 11
            grep -q 'pkcs11:token=home;object=Home%20root;id=' made || exit 12
            test -z "$(find "$COUNTERSIGN_HOME" -name '*key*')" || exit 13
            $ca issue --server www.home.example $pin || exit 14
            TOKEN_PIN=1234 $ca issue --server old.home.example --token-pin-env TOKEN_PIN || exit 15
            $ca revoke old.home.example --reason superseded || exit 16
            $ca export -o root.pem && $ca export issuing -o issuing.pem && $ca crl --pem -o crl.pem $pin || exit 17
            openssl req -new -newkey rsa:2048 -nodes -keyout other-key.pem -subj /CN=p.home.example \\
                -addext subjectAltName=DNS:p.home.example -out p.csr || exit 18
            $ca sign p.csr --yes -o p.pem $pin && $ca renew www.home.example $pin || exit 19
            for name in www.home.example p; do
                openssl verify -x509_strict -CAfile root.pem -untrusted $name.pem $name.pem || exit 20
            done
            openssl crl -in crl.pem -CAfile issuing.pem -noout 2>&1 | grep -q 'verify OK' || exit 21
            crl="-crl_check -CAfile root.pem -CRLfile crl.pem"
            openssl verify $crl -untrusted www.home.example.pem www.home.example.pem || exit 22
            openssl verify $crl -untrusted old.home.example.pem old.home.example.pem && exit 23
            $ca audit || exit 24
            exit 0
            """

    @Test(
        "OpenSSL accepts certificates that a token signed",
        .enabled(if: isInstalled("openssl"), "openssl is missing: run make interop"),
        arguments: ["p256", "p384", "rsa2048", "rsa3072"])
    func issued(key: String) async throws {
        try await Script.succeeds(Self.issuing, ["KEY": key, "MODULE": try #require(SoftHSM.module)])
    }

    private static let keeping =
        token + """
            $ca init Home --for home.example --json $token $pin > made.json || exit 10
            grep -q '"issuingKey".*pkcs11:token=home;object=Home%20issuing' made.json || exit 11
            objects --type privkey > keys || exit 12
            test $(grep -c 'label: *Home ' keys) = 2 || exit 13
            test $(grep -c 'Access: *sensitive, always sensitive, never extractable, local' keys) = 2 || exit 14
            test $(grep -c 'Usage: *.*sign' keys) = 2 || exit 15
            # A second authority with the same name does not change the first one's keys, and leaves none.
            refused token.key-exists env COUNTERSIGN_HOME="$PWD/second" $ca init Home --for home.example $token $pin || exit 16
            test ! -e second/ca || exit 17
            # An authority without an intermediate has one key, with the name in the URI.
            COUNTERSIGN_HOME="$PWD/third" $ca init Third --for home.example --no-intermediate $pin --key-store token \\
                --token "pkcs11:token=home;object=third?module-path=$PWD/module.so" || exit 18
            test $(objects --type privkey | grep -c 'label:') = 3 || exit 19
            COUNTERSIGN_HOME="$PWD/third" $ca issue --server third.home.example $pin || exit 20
            # A failure after the creation of the keys removes them.
            mkdir -p fourth && echo > fourth/ca
            COUNTERSIGN_HOME="$PWD/fourth" $ca init Fourth --for home.example $token $pin && exit 21
            test $(objects --type privkey | grep -c 'label:') = 3 || exit 22
            test $(objects --type pubkey | grep -c 'label:') = 3 || exit 23
            exit 0
            """

    @Test(
        "The keys are only in the token, and stay there",
        .enabled(if: isInstalled("pkcs11-tool"), "opensc is missing: run make interop"))
    func stored() async throws {
        try await Script.succeeds(Self.keeping, ["MODULE": try #require(SoftHSM.module)])
    }

    private static let presenting =
        token + """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out chain.pem \\
                -subj /CN=mary -days 2 && openssl pkcs8 -topk8 -nocrypt -in key.pem -out key.p8 || exit 10
            softhsm2-util --import key.p8 --label mary --id 01 --token home --pin 1234 || exit 11
            openssl x509 -in chain.pem -outform DER -out chain.der || exit 12
            pkcs11-tool --module "$MODULE" --login --pin 1234 --write-object chain.der --type cert --id 01 || exit 13
            openssl s_server -accept 127.0.0.1:0 -cert chain.pem -key key.pem -CAfile chain.pem -www -Verify 1 > served 2>&1 &
            server=$!
            trap 'kill $server' EXIT
            until port=$(sed -n 's/^ACCEPT .*://p' served) && test -n "$port"; do kill -0 $server && sleep 0.1 || exit 14; done
            uri="pkcs11:token=home;object=mary?module-path=$PWD/module.so"
            get="$PRODUCTS/countersign get https://127.0.0.1:$port/ --trust disabled"
            $get -v --identity "$uri" --identity-passphrase-file pin > page 2> log || exit 15
            grep -q 'presents CN=mary (issuer named by the server)' log || exit 16
            $get --identity chain.pem --key "$uri" --identity-passphrase-file pin > page || exit 17
            grep -q 'CN *= *mary' page || exit 18
            refused token.pin-needed $get --identity "$uri" || exit 19
            grep -q -e --identity-passphrase-file refusal || exit 20
            $get --identity "$uri" --key "$uri" --identity chain.pem --key key.pem --identity-passphrase-file pin > page || exit 22
            refused usage.value $get --identity pkcs11:token=home --identity-passphrase-file pin || exit 21
            exit 0
            """

    @Test(
        "A client identity in a token is presented, with the certificate from the token or from a file",
        .enabled(if: isInstalled("openssl") && isInstalled("pkcs11-tool"), "opensc is missing: run make interop"))
    func presented() async throws {
        try await Script.succeeds(Self.presenting, ["MODULE": try #require(SoftHSM.module)])
    }

    private static let refusing =
        token + """
            new="$ca init Home --for home.example --key-store token --token-module module.so"
            refused token.pin-incorrect $new --token pkcs11:token=home --token-pin-file wrong || exit 10
            grep -q 4321 refusal && exit 11
            refused token.pin-needed $new --token pkcs11:token=home || exit 12
            refused token.not-found $new --token pkcs11:token=office $pin || exit 13
            refused token.malformed-uri $new --token office $pin || exit 14
            refused token.unknown-attribute $new --token 'pkcs11:slot-id=1' $pin || exit 15
            refused token.pin-in-uri $new --token 'pkcs11:token=home?pin-value=1234' || exit 16
            grep -q 1234 refusal && exit 17
            refused token.unsupported-key $new --token pkcs11:token=home --key ed25519 $pin || exit 18
            refused token.module-not-loaded $ca init Home --for home.example --key-store token --token pkcs11:token=home \\
                --token-module missing.so $pin || exit 19
            refused token.not-a-module $ca init Home --for home.example --key-store token --token pkcs11:token=home \\
                --token-module "$LIBRARY" $pin || exit 20
            $ca init Home --for home.example --key-store token $pin && exit 21
            $ca init Home --for home.example --token pkcs11:token=home $pin && exit 22
            test ! -e "$COUNTERSIGN_HOME/ca" || exit 23
            $new --token pkcs11:token=home $pin || exit 30
            issue="$ca issue --server www.home.example"
            refused token.pin-incorrect $issue --token-pin-file wrong || exit 31
            $issue --token-pin-file wrong; test $? = 4 || exit 42
            refused token.pin-needed $issue || exit 32
            softhsm2-util --init-token --free --label home --pin 1234 --so-pin 5678 || exit 33
            refused token.ambiguous $issue $pin || exit 34
            mv tokens tokens.gone && mkdir tokens || exit 35
            refused token.not-found $issue $pin || exit 36
            softhsm2-util --init-token --free --label home --pin 1234 --so-pin 5678 || exit 37
            refused token.key-not-found $issue $pin || exit 38
            rm module.so && refused token.module-not-loaded $issue $pin || exit 39
            test ! -e www.home.example.pem || exit 40
            ln -s "$MODULE" module.so && rm -r tokens && mv tokens.gone tokens || exit 41
            exit 0
            """

    @Test("Problems with the token, its module or its PIN have a code, and nothing is issued")
    func refused() async throws {
        // A library that is not a PKCS#11 module.
        let library = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6", "/usr/lib/libz.dylib"]
            .first { FileManager.default.fileExists(atPath: $0) }
        try await Script.succeeds(
            Self.refusing, ["MODULE": try #require(SoftHSM.module), "LIBRARY": try #require(library)])
    }

    private static let serving =
        token + """
            $ca init Home --for home.example $token $pin && $ca issue --server a.home.example $pin || exit 10
            $ca issue --server b.home.example $pin || exit 11
            $ca export issuing -o issuing.pem && $ca export -o root.pem && cat issuing.pem root.pem > all.pem || exit 12
            # Child processes inherit the blocked signals of the test's threads, so only SIGKILL ends them.
            "$PRODUCTS/countersign-ca-serve" --port 0 $pin > serving &
            server=$!
            trap 'kill -KILL $server' EXIT
            for turn in 1 2 3 4 5 6 7 8 9 10; do grep -q Serving serving && break; sleep 0.5; done
            url=$(grep -o 'http://[0-9.:]*' serving | head -1)
            ask() { openssl ocsp -issuer issuing.pem -url $url/ocsp -CAfile all.pem "$@" 2> /dev/null; }
            ask -cert a.home.example.pem | grep -q "a.home.example.pem: good" || exit 20
            $ca revoke a.home.example --reason key-compromise || exit 21
            ask -cert a.home.example.pem -no_nonce | grep -q "Reason: keyCompromise" || exit 22
            ask -cert b.home.example.pem -no_nonce | grep -q "b.home.example.pem: good" || exit 23
            openssl ocsp -issuer issuing.pem -url $url/ocsp -CAfile all.pem -cert b.home.example.pem 2>&1 \\
                | grep -q "Response verify OK" || exit 24
            curl -sf $url/crl -o crl && openssl crl -inform DER -in crl -CAfile issuing.pem -noout 2>&1 \\
                | grep -q "verify OK" || exit 25
            $ca audit || exit 26
            exit 0
            """

    @Test(
        "OpenSSL accepts a responder whose certificate a token signed",
        .enabled(if: isInstalled("openssl", "curl"), "openssl or curl is missing: run make interop"))
    func served() async throws {
        try await Script.succeeds(Self.serving, ["MODULE": try #require(SoftHSM.module)])
    }
}
