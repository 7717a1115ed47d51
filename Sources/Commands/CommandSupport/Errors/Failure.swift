// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
package import Countersign
package import ErrorExplanations
package import PolicyFiles

/// An error in the form that commands print, with its exit status.
package struct Failure: Sendable {
    package let status: CommandStatus
    package private(set) var explanation: ErrorExplanation
    /// The verdict on the server's chain, if the server is not trusted.
    package private(set) var verdict: Verdict?
    /// The server or proxy that the error is about.
    package private(set) var peer: SessionError.Peer?
    /// The position in a policy file, if the error is about one.
    package private(set) var place: PolicyFileLocation?
    /// The other errors of the policy file, in the order of the file.
    package private(set) var others: [Failure] = []
    /// The long names of the options that the advice may mention; `nil` for all.
    package var optionNames: Set<String>?

    package init(_ error: any Error) {
        if let error = error as? CommandFailure {
            self = error.failure
            return
        }
        let error = Self.ours(error)
        status = CommandStatus(error)
        explanation = error.explanation.redacted
        peer = (error as? SessionError)?.peer
        if case SessionError.trust(.notTrusted(_, _, let verdict)) = error { self.verdict = verdict }
        if let error = error as? PolicyFileError {
            place = error.place
            // The line begins with the file and its line number.
            let (key, cause) = (error.place.key.description, error.explanationWithoutLocation)
            explanation = explanation.withMessage(key.isEmpty ? cause.message : "\(key): \(cause.message)")
            others = error.others.map(Failure.init)
        }
    }

    private static func ours(_ error: any Error) -> any ExplainedError {
        switch error {
        case let error as any ExplainedError: error
        case is CancellationError: CommandError.interrupted
        default: CommandError.unexpected(error)
        }
    }

    /// The error code, a stable identifier for programs.
    package var code: String { explanation.code }

    /// The message: the problem and the object that it concerns.
    package var message: String { explanation.message }

    /// Returns the advice, with the program's options that it may mention.
    package func advice(_ options: ErrorOptions) -> String {
        [explanation.advice, options.text(for: code, optionsOf: optionNames)].filter { !$0.isEmpty }
            .joined(separator: " ")
    }

    /// Returns the same failure with another message.
    package func withMessage(_ message: String) -> Self {
        var copy = self
        copy.explanation = explanation.withMessage(message)
        return copy
    }

    /// Returns the same failure with another advice.
    package func withAdvice(_ advice: String) -> Self {
        var copy = self
        copy.explanation = ErrorExplanation(
            explanation.kind, code, message, reason: explanation.reason, advice: advice)
        return copy
    }

    /// Returns the message, the reason and the advice, each on a line; a position in a file comes first, as editors
    /// expect.
    package func text(_ options: ErrorOptions) -> String {
        ([lines(options)] + others.map { $0.lines(options) }).joined(separator: "\n")
    }

    private func lines(_ options: ErrorOptions) -> String {
        [(place?.description.printable ?? "countersign") + ": " + message, explanation.reason, advice(options)]
            .filter { !$0.isEmpty }.joined(separator: "\n")
    }
}

/// A failure that was created already, with information about its request.
package struct CommandFailure: Error {
    package let failure: Failure
    package let circumstances: Circumstances?

    package init(failure: Failure, circumstances: Circumstances? = nil) {
        (self.failure, self.circumstances) = (failure, circumstances)
    }
}

extension ErrorExplanation {
    /// The explanation without the secrets of URLs in its message.
    fileprivate var redacted: Self { withMessage(Redaction.text(message)) }

    /// Returns the same explanation with another message.
    fileprivate func withMessage(_ message: String) -> Self {
        Self(kind, code, message, reason: reason, advice: advice)
    }
}

/// The options and sentences that supplement the advice of an error, by the error's code.
///
/// A text that begins with `--` is an option, and is listed with the others; every other text is a sentence.
package struct ErrorOptions: ExpressibleByDictionaryLiteral, Sendable {
    private var texts: [String: [String]]

    package init(dictionaryLiteral elements: (String, [String])...) {
        texts = Dictionary(elements) { $0 + $1 }
    }

    /// Returns the options of both operands.
    package static func + (one: Self, other: Self) -> Self {
        var sum = one
        sum.texts.merge(other.texts) { $0 + $1 }
        return sum
    }

    /// The codes that have options or sentences.
    package var codes: Set<String> { Set(texts.keys) }

    /// Returns the options and sentences that supplement an error's advice, as text.
    ///
    /// - Parameters:
    ///   - code: The error's code.
    ///   - names: The long names of the command's options, without dashes; `nil` for the options of all commands.
    /// - Returns: The text, which is empty if there are none.
    package func text(for code: String, optionsOf names: Set<String>? = nil) -> String {
        let texts = (texts[code] ?? []).filter { text in
            names.map { names in Self.options(in: text).allSatisfy(names.contains) } ?? true
        }
        let listed = texts.filter { $0.hasPrefix("--") }
        let list = listed.isEmpty ? [] : ["Option\(listed.count == 1 ? "" : "s"): \(listed.joined(separator: ", "))."]
        return (list + texts.filter { !$0.hasPrefix("--") }).joined(separator: " ")
    }

    /// Returns the long names of the options in a text.
    private static func options(in text: String) -> [String] {
        text.split(separator: " ").filter { $0.hasPrefix("--") }
            .map { word in String(word.dropFirst(2).prefix { !",;".contains($0) }) }
            .map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
    }
}

extension ErrorOptions {
    /// The options for session errors, which several programs share.
    package static let common: ErrorOptions = [
        "request.plain-http-forbidden": ["The key for it is 'plain-http: allowed'."],
        "identity.passphrase-needed": ["--identity-passphrase-file FILE", "--key-passphrase-file FILE"],
        "token.pin-needed": ["--identity-passphrase-file FILE"],
        "csr.unusable-common-name": ["--ignore-common-name", "--client"],
        "identity.no-private-key": ["--key FILE"],
        "credential.needs-tls": ["--allow-ntlm-over-plain-http"],
        "credential.iteration-count-too-large": ["--max-scram-iterations COUNT"],
        "pin.malformed": ["Option of get that prints the pins of a chain: -v."],
        "authentication.unanswerable-challenge": [
            "Options: for NTLM --allow-ntlm-over-plain-http, for SCRAM --max-scram-iterations COUNT."
        ],
        "anchor.not-an-authority": ["--leaf", "--trust anchor"],
        "trust.self-signed": ["--anchor FILE", "--trust imported after 'trust import'"],
        "trust.unknown-root": ["--anchor FILE", "--trust imported after 'trust import'"],
        "trust.issuer-not-found": ["--fetch-issuers", "--anchor FILE"],
        "trust.weak-signature": ["Option for SHA-1: --accept-weak sha-1."],
        "trust.weak-key": ["Option for RSA keys of 1024 bits and more: --accept-weak rsa-1024."],
        "revocation.weak-signature": ["Option for SHA-1: --accept-weak sha-1."],
        "trust.pin-mismatch": ["--pin"],
        "trust.changed": ["Command that forgets it: 'trust forget HOST:PORT'."],
        "trust.revocation-unknown": [
            "--crl FILE", "--ocsp FILE", "Option, unless the certificate demands the proof: --revocation soft-fail.",
        ],
        "trust.nonconforming": ["--tolerate RULE", "--profile private-pki"],
        "trust.weak-signature": ["Option for a signature over SHA-1: --accept-weak sha-1."],
        "trust.weak-key": ["Option for a key of 1024 bits or more: --accept-weak rsa-1024."],
        "trust.extended-key-usage": ["--purpose"],
        "trust.transparency-insufficient": ["--log-list FILE", "--transparency-rule"],
        "limit.expansion": ["--max-expansion-ratio"],
        "connection.unreachable": ["--proxy", "--no-proxy"],
        "connection.address-family": ["--ipv4", "--ipv6"],
        "connection.timed-out": ["--proxy", "--no-proxy", "--connect-timeout"],
        "connection.failed": ["--proxy", "--no-proxy"],
        "connection.http-version-not-offered": [
            "Options: --http1.1 and --http2 restrict the versions; leave them out."
        ],
        "proxy.authentication-required": ["--proxy-user", "--proxy-password-file"],
        "proxy.credential-rejected": ["--proxy-user", "--proxy-password-file"],
        "proxy.methods-not-allowed": ["--proxy-methods"],
        "proxy.invalid-variable": ["Option to go without it: --no-proxy '*'."],
        "tls.versions-excluded": ["Option: --tls-max; key in the policy: 'minimum-tls'."],
        "tls.no-common-version": [
            "If --tls-max or --tls-min was given, leave it out.", "Option for an old server: --allow-legacy-tls.",
        ],
        "tls.no-common-parameters": ["--tls-library openssl", "--allow-legacy-tls"],
        "tls.weak-server": ["--allow-legacy-tls"],
        "tls.library-unavailable": ["Option: --tls-library boringssl; key in the policy: 'tls-library'."],
        "tls.library-unsuitable": ["Option: --tls-library boringssl; key in the policy: 'tls-library'."],
        "tls.no-secure-renegotiation": ["--tls-library boringssl"],
        "tls.settings-unusable": ["If --openssl-configuration was given, leave it out."],
        "tls.identity-unusable": ["--tls-library openssl", "--tls-max 1.2"],
        "tls.client-certificate-required": ["--identity FILE"],
        "tls.client-certificate-refused": ["--identity FILE"],
        "tls.post-handshake-authentication-required": ["--tls-library openssl"],
        "trust.no-system-anchors": ["--trust anchors-only --anchor FILE"],
        "cancellation.challenge": ["--user", "--identity"],
        "file.malformed-cookies": ["Instead of a file, --cookie takes name=value."],
        "response.bare-line-feed": ["--allow-bare-line-feeds"],
        "connection.go-away": ["--http1.1"],
        "response.stream-reset": ["--http1.1"],
        "body.unknown-content-coding": ["--no-decode"],
        "redirect.too-many": ["Option: -v shows them."],
        "redirect.to-plain-http": ["--allow-redirects-to-plain-http"],
        "limit.total-time": ["--max-time SECONDS"],
        "file.timed-out": ["--max-time SECONDS"],
    ]
}
