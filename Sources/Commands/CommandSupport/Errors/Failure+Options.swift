// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Failure {
    /// What does what the advice of an error says: options, and sentences, by the error's code.
    private static let hints = [
        "request.plain-http-forbidden": ["The key for it is 'plain-http: allowed'."],
        "identity.passphrase-needed": ["--identity-passphrase-file FILE", "--key-passphrase-file FILE"],
        "credential.needs-tls": ["--allow-ntlm-over-plain-http"],
        "credential.iteration-count-too-large": ["--max-scram-iterations COUNT"],
        "pin.malformed": ["Option of get that prints the pins of a chain: -v."],
        "lab.cannot-write": ["--directory"],
        "lab.cannot-listen": ["--listen"],
        "service.trust-needed": ["--anchor FILE", "--pin", "--service-host HOST", "--policy FILE"],
        "authentication.unanswerable-challenge": [
            "Options: for NTLM --allow-ntlm-over-plain-http, for SCRAM --max-scram-iterations COUNT."
        ],
        "anchor.not-an-authority": ["--leaf", "--trust anchor"],
        "trust.self-signed": ["--anchor FILE", "--trust imported after 'trust import'"],
        "trust.unknown-root": ["--anchor FILE", "--trust imported after 'trust import'"],
        "trust.issuer-not-found": ["--fetch-issuers", "--anchor FILE"],
        "trust.pin-mismatch": ["--pin"],
        "trust.changed": ["Command that forgets it: 'trust forget HOST:PORT'."],
        "trust.revocation-unknown": [
            "Option, where it is not the certificate that demands the proof: --revocation soft-fail."
        ],
        "trust.transparency-insufficient": ["--log-list FILE", "--transparency-rule"],
        "connection.unreachable": ["--proxy", "--no-proxy"],
        "connection.timed-out": ["--proxy", "--no-proxy", "--connect-timeout"],
        "connection.failed": ["--proxy", "--no-proxy"],
        "connection.http-version-not-offered": [
            "Options: --http1.1 and --http2 restrict the versions; leave them out."
        ],
        "proxy.authentication-required": ["--proxy-user", "--proxy-password-file"],
        "proxy.methods-not-allowed": ["--proxy-methods"],
        "proxy.invalid-variable": ["Option to go without it: --no-proxy '*'."],
        "tls.versions-excluded": ["Option: --tls-max; key in the policy: 'minimum-tls'."],
        "tls.no-common-version": ["If --tls-max or --tls-min was given, leave it out."],
        "tls.client-certificate-required": ["--identity FILE"],
        "tls.client-certificate-refused": ["--identity FILE"],
        "tls.post-handshake-authentication-required": ["--tls-max 1.2"],
        "trust.no-system-anchors": ["--trust anchors-only --anchor FILE"],
        "cancellation.challenge": ["--user", "--identity"],
        "soap.not-authenticated": ["--user NAME", "--password-file FILE", "--bearer-file FILE", "--identity FILE"],
        "file.malformed-cookies": ["Instead of a file, --cookie takes name=value."],
        "response.bare-line-feed": ["--allow-bare-line-feeds"],
        "connection.go-away": ["--http1.1"],
        "response.stream-reset": ["--http1.1"],
        "body.unknown-content-coding": ["--no-decode"],
        "redirect.too-many": ["Option: -v shows them."],
        "redirect.to-plain-http": ["--allow-redirects-to-plain-http"],
        "keychain.not-found": ["Command: 'countersign keychain init'.", "Option: --keychain FILE."],
        "keychain.damaged": ["Command: 'countersign keychain repair'."],
        "keychain.damaged-item": ["Command: 'countersign keychain repair'."],
        "keychain.rolled-back": ["--accept-older-state"],
        "keychain.wrong-passphrase": ["--unlock-with"],
        "keychain.unlock-needed": ["Command: 'countersign keychain unlock'."],
        "keychain.root-key-needed": ["--passphrase-file"],
        "keychain.no-slot": ["Command: 'countersign keychain add-slot'."],
        "keychain.short-pin": ["--allow-short-pin"],
        "keychain.item-exists": ["--replace"],
        "keychain.no-item": ["Command: 'countersign keychain find'."],
        "token.pin-needed": ["--token-pin-file"],
        "csr.unusable-common-name": ["--ignore-common-name", "--client"],
        "token.module-not-loaded": ["Option of init: --token-module PATH."],
        "limit.total-time": ["--max-time SECONDS"],
        "file.timed-out": ["--max-time SECONDS"],
    ]

    /// The codes that have hints.
    package static var hintedCodes: Set<String> { Set(hints.keys) }

    /// The options and the sentences that go with an error's advice, as text.
    ///
    /// - Parameters:
    ///   - code: The error's code.
    ///   - names: The long names of the command's options, without dashes; `nil` names the options of all commands.
    /// - Returns: Empty where there are none.
    package static func hint(for code: String, optionsOf names: Set<String>? = nil) -> String {
        let hints = (Self.hints[code] ?? []).filter { hint in
            names.map { names in options(in: hint).allSatisfy(names.contains) } ?? true
        }
        let listed = hints.filter { $0.hasPrefix("--") }
        let list = listed.isEmpty ? [] : ["Option\(listed.count == 1 ? "" : "s"): \(listed.joined(separator: ", "))."]
        return (list + hints.filter { !$0.hasPrefix("--") }).joined(separator: " ")
    }

    /// The long names of options that a text names.
    private static func options(in text: String) -> [String] {
        text.split(separator: " ").filter { $0.hasPrefix("--") }
            .map { word in String(word.dropFirst(2).prefix { !",;".contains($0) }) }
            .map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
    }
}
