// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityAccess
import AuthorityStore
import CertificateAuthorities
import CertificateTrust
import CommandSupport
import EssentialFoundation
import Identities
import PKCS11
import X509

/// Creates the keys of a new authority, and stores them in files, the keychain or a token.
struct NewAuthorityKeys {
    enum Role: String {
        case root
        case issuing
    }

    enum Destination {
        case files
        case keychain
        /// The URI may name the issuing key.
        case token(Token, TokenURI, module: String)
    }

    private let keys: AuthorityKeys
    private let destination: Destination
    private let folder: URL
    private let name: String
    private let type: CertificateAuthority.KeyType
    /// The authority whose key issues certificates.
    private let issuer: Role
    /// The files and token objects that were created by this instance.
    private var made: [Role: AuthoritySettings.KeyLocation] = [:]

    /// - Parameters:
    ///   - keys: The store that saves the keys.
    ///   - destination: The place in which the keys are stored.
    ///   - folder: The folder of the authority.
    ///   - name: The name of the authority.
    ///   - type: The key type.
    ///   - issuer: The authority whose key issues certificates; in a token this key has the name from the URI.
    init(
        _ keys: AuthorityKeys, to destination: Destination, folder: URL, name: String,
        type: CertificateAuthority.KeyType, issuer: Role
    ) {
        (self.keys, self.destination, self.folder) = (keys, destination, folder)
        (self.name, self.type, self.issuer) = (name, type, issuer)
    }

    /// Creates a key, in the token or in memory.
    mutating func make(_ role: Role) throws -> Certificate.PrivateKey {
        guard case .token(let token, let uri, let module) = destination else { return try type.makeKey() }
        guard let type = TokenKeyType(type) else { throw TokenError.unsupportedKey }
        let key = try token.makeKey(type, self.uri(of: role, in: uri))
        made[role] = .token(uri: key.uri.description, module: module)
        return Certificate.PrivateKey(key)
    }

    /// Returns the token URI with the label and the identifier of a key.
    private func uri(of role: Role, in uri: TokenURI) -> TokenURI {
        let isNamed = role == issuer
        let label = (isNamed ? uri.object : nil) ?? "\(uri.object ?? name) \(role.rawValue)"
        let random = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        return uri.naming(object: label, id: (isNamed ? uri.id : nil) ?? random)
    }

    /// Saves the key of an identity that was created here; a key in a token is stored already.
    mutating func save(_ identity: Identity, _ role: Role) async throws -> AuthoritySettings.KeyLocation {
        switch destination {
        case .files: made[role] = try keys.save(identity, as: "\(role.rawValue)-key.pem")
        case .keychain: return try await keys.save(identity, label: "\(name) \(role.rawValue) authority")
        case .token: break
        }
        guard let place = made[role] else { throw AuthorityKeyError.otherKey }
        return place
    }

    /// Removes the created keys, so that the next attempt does not fail because of them.
    func discard() {
        for place in made.values {
            switch place {
            case .file(let file): try? FileManager.default.removeItem(at: folder.appending(path: file))
            case .token(let text, _):
                guard case .token(let token, _, _) = destination, let uri = try? TokenURI(text) else { continue }
                try? token.removeKey(uri)
            case .keychain: continue
            }
        }
    }
}

extension TokenKeyType {
    /// Creates the token's key type, or `nil` for a type that is not created in tokens.
    fileprivate init?(_ type: CertificateAuthority.KeyType) {
        switch type {
        case .p256: self = .p256
        case .p384: self = .p384
        case .rsa2048: self = .rsa2048
        case .rsa3072: self = .rsa3072
        case .rsa4096: self = .rsa4096
        case .ed25519: return nil
        }
    }
}

/// The JSON output of `init --json`.
struct NewAuthorityReport: Encodable {
    struct Authority: Encodable {
        let subject: String
        let fingerprint: String
        let notAfter: Date

        init(_ certificate: Certificate) {
            let summary = CertificateSummary(certificate)
            (subject, fingerprint, notAfter) = (summary.subject, summary.fingerprint, summary.notAfter)
        }
    }

    let name: String
    let folder: String
    let permitted: [String]
    let root: Authority
    let issuing: Authority
    let rootKey: String
    let issuingKey: String

    init(
        _ settings: AuthoritySettings, _ folder: URL, root: CertificateAuthority, issuing: CertificateAuthority,
        _ permitted: [String]
    ) {
        (name, self.permitted) = (settings.name, permitted)
        self.folder = folder.path
        (self.root, self.issuing) = (Authority(root.certificate), Authority(issuing.certificate))
        rootKey = Self.text(settings.rootKey, folder)
        issuingKey = Self.text(settings.issuingKey, folder)
    }

    private static func text(_ place: AuthoritySettings.KeyLocation, _ folder: URL) -> String {
        switch place {
        case .file(let name): folder.appending(path: name).path
        case .keychain(let label): "\"\(label)\" in the keychain"
        case .token(let uri, _): uri
        }
    }
}
