// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import AuthorityStore
package import CommandSupport
import Countersign
package import ErrorExplanations
package import EssentialFoundation
package import Identities
import KeychainService
package import PKCS11
package import Secrets
package import X509

/// The storage of an authority's keys: files next to its state, the keychain, or a PKCS#11 token.
package struct AuthorityKeys {
    private let folder: URL
    /// The passphrase of an encrypted key.
    private let passphrase: Secret?
    /// The PIN of the token.
    private let pin: Secret?

    package init(folder: URL, passphrase: Secret?, pin: Secret?) {
        (self.folder, self.passphrase, self.pin) = (folder, passphrase, pin)
    }

    /// Saves a key in a file that only its owner can read.
    package func save(_ identity: Identity, as name: String) throws -> AuthoritySettings.KeyLocation {
        let key =
            try passphrase.map { try identity.pemEncodedPrivateKey(passphrase: $0) } ?? identity.pemEncodedPrivateKey
        let file = try OutputFile(path: folder.appending(path: name).path, newMode: 0o600, replaces: false)
        try file.write(try identity.pemEncodedChain + key)
        try file.commit()
        return .file(name)
    }

    /// Saves a key in the keychain.
    package func save(_ identity: Identity, label: String) async throws -> AuthoritySettings.KeyLocation {
        try await KeychainClient(path: nil).save(identity, label: label)
        return .keychain(label)
    }

    /// Finds a token and logs in.
    ///
    /// - Parameters:
    ///   - uri: The URI of the token.
    ///   - module: The absolute path of its PKCS#11 module.
    ///   - access: The access to the token: for signing only, or for making keys too.
    ///   - console: The console on which the PIN is requested.
    /// - Returns: The token, after the login.
    /// - Throws: `TokenError`.
    package func token(
        _ uri: TokenURI, module: String, access: TokenAccess, on console: Console
    ) async throws -> Token {
        let token = try Token(uri, module: module, access: access)
        var pin = pin
        if token.needsPIN, pin == nil, let prompter = console.prompter {
            pin = await prompter.ask("PIN of the token \(token.label.printable): ", isSecret: true).map { Secret($0) }
        }
        try token.logIn(pin)
        return token
    }

    /// Loads the key of a certificate from its storage.
    ///
    /// - Parameters:
    ///   - place: The location of the key.
    ///   - chain: The certificate and its issuers.
    ///   - console: The console on which a passphrase or PIN is requested.
    /// - Returns: The chain and its key.
    /// - Throws: ``AuthorityKeyError``, `IdentityError`, `TokenError`, `FileError`, `UnsafeFileError`,
    ///   `ExposedKeyError`.
    package func load(_ place: AuthoritySettings.KeyLocation, chain: [Certificate], on console: Console) async throws
        -> Identity
    {
        let key: Certificate.PrivateKey
        switch place {
        case .file(let name):
            let path = folder.appending(path: name).path
            guard FileManager.default.fileExists(atPath: path) else {
                throw AuthorityKeyError.keyNotFound(path: path)
            }
            try FilePermissions.check(path, in: folder.path)
            try FilePermissions.checkKey(path)
            key = try await IdentityFile.read(path, passphrase: passphrase, prompter: console.prompter).privateKey
        case .keychain(let label):
            guard let found = try await KeychainClient(path: nil).identity(labelled: label) else {
                throw AuthorityKeyError.keyNotInKeychain(label: label)
            }
            key = found.privateKey
        case .token(let text, let module):
            let uri = try TokenURI(text)
            key = Certificate.PrivateKey(
                try await token(uri, module: module, access: .signing, on: console).key(uri))
        }
        guard let identity = try? Identity(chain: chain, privateKey: key) else { throw AuthorityKeyError.otherKey }
        return identity
    }
}

/// An error in loading an authority's key.
package enum AuthorityKeyError: Error, Hashable {
    /// The key file is missing.
    case keyNotFound(path: String)
    /// The keychain has no identity with the label.
    case keyNotInKeychain(label: String)
    /// The key does not fit the authority's certificate.
    case otherKey
}

extension AuthorityKeyError: CataloguedError {
    package var explanation: ErrorExplanation {
        switch self {
        case .keyNotFound(let path):
            ErrorExplanation(
                "ca.key-not-found", "The authority's key \(path) is missing.",
                reason: "Nothing can be signed without it. A root's key may have been taken offline on purpose.",
                advice: "Restore the file for as long as it is needed.")
        case .keyNotInKeychain(let label):
            ErrorExplanation(
                "ca.key-not-in-keychain", "The keychain has no identity \"\(label)\".",
                reason: "The authority's key was put there, and was removed or renamed since.",
                advice: "List the identities with 'countersign keychain find --class identity'.")
        case .otherKey:
            ErrorExplanation(
                "ca.other-key", "The key is not that of the authority's certificate.",
                reason: "It was replaced by another.", advice: "Restore the right key.")
        }
    }

    package static var examples: [AuthorityKeyError] {
        [
            .keyNotFound(path: "/home/me/.config/countersign/ca/root-key.pem"),
            .keyNotInKeychain(label: "Home issuing authority"), .otherKey,
        ]
    }
}
