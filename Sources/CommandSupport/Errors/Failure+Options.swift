// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Failure {
    /// The options of the command that do what the advice of an error says.
    package static let options = [
        "request.plain-http-forbidden": "The key for it is 'plain-http: allowed'.",
        "identity.passphrase-needed": "Option: --identity-passphrase-file.",
        "credential.needs-tls": "Option: --allow-ntlm-over-plain-http.",
        "credential.iteration-count-too-large": "Option: --max-scram-iterations COUNT.",
        "pin.malformed": "Option of get that prints the pins of a chain: -v.",
        "lab.cannot-write": "Option: --directory.",
        "authentication.unanswerable-challenge":
            "Options: for NTLM --allow-ntlm-over-plain-http, for SCRAM --max-scram-iterations COUNT.",
        "trust.self-signed": "Options: --anchor FILE, or --trust imported after 'trust import'.",
        "trust.unknown-root": "Options: --anchor FILE, or --trust imported after 'trust import'.",
        "trust.issuer-not-found": "Options: --fetch-issuers, --anchor FILE.",
        "trust.pin-mismatch": "Option: --pin.",
        "trust.changed": "Command that forgets it: 'trust forget HOST:PORT'.",
        "trust.revocation-unknown":
            "Option, where it is not the certificate that demands the proof: --revocation soft-fail.",
        "connection.unreachable": "Options: --proxy, --no-proxy.",
        "connection.timed-out": "Options: --proxy, --no-proxy, --connect-timeout.",
        "connection.failed": "Options: --proxy, --no-proxy.",
        "connection.http-version-not-offered": "Options: --http1.1 and --http2 restrict the versions; leave them out.",
        "proxy.authentication-required": "Options: --proxy-user, --proxy-password-file.",
        "proxy.methods-not-allowed": "Option: --proxy-methods.",
        "proxy.invalid-variable": "Option to go without it: --no-proxy '*'.",
        "tls.versions-excluded": "Option: --tls-max; key in the policy: 'minimum-tls'.",
        "tls.no-common-version": "If --tls-max or --tls-min was given, leave it out.",
        "tls.client-certificate-required": "Option: --identity FILE.",
        "tls.client-certificate-refused": "Option: --identity FILE.",
        "tls.post-handshake-authentication-required": "Option: --tls-max 1.2.",
        "trust.no-system-anchors": "Options: --trust anchors-only --anchor FILE.",
        "cancellation.challenge": "Options: --user, --identity.",
        "file.malformed-cookies": "Instead of a file, --cookie takes name=value.",
        "response.bare-line-feed": "Option: --allow-bare-line-feeds.",
        "response.stream-reset": "Option: --http1.1.",
        "redirect.too-many": "Option: -v shows them.",
        "redirect.to-plain-http": "Option: --allow-redirects-to-plain-http.",
        "keychain.not-found": "Command: 'countersign keychain init'. Option: --keychain FILE.",
        "keychain.rolled-back": "Option: --accept-older-state.",
        "keychain.wrong-passphrase": "Option: --unlock-with.",
        "keychain.unlock-needed": "Command: 'countersign keychain unlock'.",
        "keychain.root-key-needed": "Option: --passphrase-file.",
        "keychain.no-slot": "Command: 'countersign keychain add-slot'.",
        "keychain.short-pin": "Option: --allow-short-pin.",
        "keychain.no-item": "Command: 'countersign keychain find'.",
        "limit.total-time": "Option: --max-time SECONDS.",
        "file.timed-out": "Option: --max-time SECONDS.",
    ]
}
