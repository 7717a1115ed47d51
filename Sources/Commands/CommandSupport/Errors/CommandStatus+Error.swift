// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import ErrorExplanations

extension CommandStatus {
    /// The exit status that belongs to an error.
    package init(_ error: any Error) {
        self =
            switch error {
            case is OutputClosed: .outputClosed
            case CommandError.interrupted: .interrupted
            case let error as NamedFileError: CommandStatus(error.error)
            case SessionError.response(.downloadRefused(let response)) where response.status == .unauthorized:
                .notAuthenticated
            case let error as any ExplainedError: CommandStatus(code: error.code)
            default: .failed
            }
    }

    private init(code: String) {
        self =
            switch code {
            case "request.plain-http-forbidden", "service.trust-needed", "signature.untrusted-signer": .notTrusted
            case "service.not-local", "service.not-web", "service.malformed-name", "service.credential-without-tls":
                .usage
            case "authentication.malformed-challenge": .failed
            case "proxy.authentication-required", "proxy.methods-not-allowed", "tls.client-certificate-required",
                "tls.client-certificate-refused", "tls.renegotiation-required",
                "tls.post-handshake-authentication-required", "cancellation.challenge",
                "soap.not-authenticated":
                .notAuthenticated
            case "token.pin-needed", "token.pin-incorrect", "token.pin-locked", "keychain.locked",
                "keychain.wrong-passphrase", "keychain.unlock-needed", "keychain.root-key-needed",
                "keychain.too-many-attempts", "keychain.erased":
                .notAuthenticated
            case "proxy.invalid-variable", "proxy.invalid-exception", "tls.versions-excluded": .usage
            default: Self.stages[String(code.prefix { $0 != "." })] ?? .failed
            }
    }

    /// Of the stages whose errors have one status.
    private static let stages: [String: CommandStatus] = [
        "usage": .usage, "request": .usage, "pin": .usage, "host-name": .usage, "trust": .notTrusted,
        "authentication": .notAuthenticated,
    ]
}
