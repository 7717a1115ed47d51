// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Countersign
import SOAPClients
import WSSecurity

/// The passphrase of `--sign`.
enum SigningPassphrase: SecretPurpose {
    static let option = "sign-passphrase"
    static let subject = "the passphrase of --sign's file"
}

/// The password of `--username-token`.
enum TokenPassword: SecretPurpose {
    static let option = "token-password"
    static let subject = "the password of --username-token"
}

/// The WS-Security options for requests and responses.
struct MessageSecurityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Sign the message's body and a timestamp with this certificate and key: PEM or PKCS#12.",
            valueName: "file"))
    var sign: String?

    @OptionGroup
    var passphrase: SecretOptions<SigningPassphrase>

    @Option(
        help: ArgumentHelp(
            "Put a user and the digest of a password into the message; --user is for HTTP.", valueName: "name"))
    var usernameToken: String?

    @OptionGroup
    var password: SecretOptions<TokenPassword>

    @Flag(help: "Send the password of --username-token as it is, which the service can then read.")
    var sendTokenPassword = false

    @Option(
        help: ArgumentHelp(
            "Accept only responses signed by this certificate, or by one with a chain to it; repeatable.",
            valueName: "file"))
    var verify: [String] = []

    /// Whether requests contain a secret or a signature.
    var isGiven: Bool { sign != nil || usernameToken != nil }

    /// The names of the given options that read standard input.
    var readersOfStandardInput: [String] {
        (passphrase.readsStandardInput ? [SecretOptions<SigningPassphrase>.standardInputOption] : [])
            + (password.readsStandardInput ? [SecretOptions<TokenPassword>.standardInputOption] : [])
    }

    func checkUnusedOptions() throws(UsageError) {
        try passphrase.checkContradictions()
        try password.checkContradictions()
        if sign == nil, passphrase.isGiven { throw .useless(passphrase.name, without: "--sign") }
        if usernameToken == nil, password.isGiven { throw .useless(password.name, without: "--username-token") }
        if usernameToken == nil, sendTokenPassword {
            throw .useless("--send-token-password", without: "--username-token")
        }
        if usernameToken != nil, !password.isGiven {
            throw .useless("--username-token", without: "--token-password-file")
        }
    }

    /// Returns the signer for requests, or `nil` if there is none.
    func signer(on console: Console) async throws -> SOAPSigner? {
        var security = MessageSecurity()
        if let sign {
            let secret = try passphrase.read(console.environment)
            security = .x509(
                try await IdentityFile.read(
                    sign, passphrase: secret, prompter: console.prompter, warningOn: console))
        }
        if let usernameToken, let secret = try password.read(console.environment) {
            security.usernameToken = UsernameToken(
                user: usernameToken, password: secret, form: sendTokenPassword ? .text : .digest)
        }
        return sign == nil && usernameToken == nil ? nil : .security(security)
    }

    /// Returns the verifier for responses, or `nil` if there is none.
    func verifier(on console: Console) throws -> SOAPVerifier? {
        guard !verify.isEmpty else { return nil }
        return .anchors(try AnchorFiles.read(verify, on: console))
    }
}
