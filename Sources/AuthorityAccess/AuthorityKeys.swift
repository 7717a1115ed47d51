// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
package import AuthorityStore
package import CommandSupport
package import Identities
package import Secrets
package import X509

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Where an authority keeps its keys: in files beside its state, or in the keychain.
package struct AuthorityKeys {
    private let folder: URL
    /// What opens an encrypted key.
    private let passphrase: Secret?

    package init(folder: URL, passphrase: Secret?) { (self.folder, self.passphrase) = (folder, passphrase) }

    /// Keeps a key in a file that its owner alone can read.
    package func save(_ identity: Identity, as name: String) throws -> AuthoritySettings.KeyPlace {
        let key =
            try passphrase.map { try identity.pemEncodedPrivateKey(passphrase: $0) } ?? identity.pemEncodedPrivateKey
        let file = try OutputFile(path: folder.appending(path: name).path, newMode: 0o600, replaces: false)
        try file.write(try identity.pemEncodedChain + key)
        try file.commit()
        return .file(name)
    }

    /// Keeps a key in the keychain.
    package func save(_ identity: Identity, label: String) async throws -> AuthoritySettings.KeyPlace {
        try await KeychainClient(path: nil).save(identity, label: label)
        return .keychain(label)
    }

    /// Reads the key of a certificate.
    ///
    /// - Parameters:
    ///   - place: Where it is.
    ///   - chain: The certificate and its issuers.
    ///   - console: Where a passphrase is asked for.
    /// - Returns: The chain and its key.
    /// - Throws: ``AuthorityKeyError``, `IdentityError`, `FileError`.
    package func load(_ place: AuthoritySettings.KeyPlace, chain: [Certificate], on console: Console) async throws
        -> Identity
    {
        let key: Certificate.PrivateKey
        switch place {
        case .file(let name):
            let path = folder.appending(path: name).path
            guard FileManager.default.fileExists(atPath: path) else {
                throw AuthorityKeyError.keyNotFound(path: path)
            }
            try OwnFiles.check(path, in: folder.path)
            key = try await IdentityFile.read(path, passphrase: passphrase, prompter: console.prompter).privateKey
        case .keychain(let label):
            guard let found = try await KeychainClient(path: nil).identity(labelled: label) else {
                throw AuthorityKeyError.keyNotInKeychain(label: label)
            }
            key = found.privateKey
        }
        guard let identity = try? Identity(chain: chain, privateKey: key) else { throw AuthorityKeyError.otherKey }
        return identity
    }
}
