// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateAuthority
package import EssentialFoundation
internal import SwiftASN1
package import X509

/// What an authority keeps of itself; its keys are elsewhere.
package struct AuthoritySettings: Codable, Sendable {
    /// Where a key is.
    package enum KeyPlace: Codable, Hashable, Sendable {
        /// A PEM file, relative to the authority's folder.
        case file(String)
        /// An identity in the keychain, by its label.
        case keychain(String)
        /// A key in a PKCS#11 token, by its URI (RFC 7512), and the path of the module that reaches the token.
        case token(uri: String, module: String)
    }

    /// What a person calls it.
    package var name: String
    /// The certificate that issues, and its issuers up to the root, in DER.
    package var chain: [Data]
    /// Where the key of the first certificate of the chain is.
    package var issuingKey: KeyPlace
    /// Where the key of the root is; the same where the root issues.
    package var rootKey: KeyPlace
    package var revocationListURL: URL?
    package var responderURL: URL?
    package var certificateURL: URL?
    /// For how many days a leaf is valid.
    package var leafDays: Int

    package init(
        name: String, chain: [Certificate], issuingKey: KeyPlace, rootKey: KeyPlace, publication: PublicationPoints,
        leafDays: Int
    ) throws {
        self.name = name
        self.chain = try chain.map { Data(try $0.derRepresentation) }
        (self.issuingKey, self.rootKey, self.leafDays) = (issuingKey, rootKey, leafDays)
        (revocationListURL, responderURL, certificateURL) =
            (publication.revocationList, publication.responder, publication.authorityCertificate)
    }

    /// Reads the settings as the database has them.
    init(json text: String) throws(AuthorityStoreError) {
        guard let settings = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { throw .damaged }
        self = settings
    }

    /// The detail of an entry of the log about the settings, which the database has as a text.
    func detail(as text: String) -> AuthorityDetail {
        AuthorityDetail(certificate: chain.first ?? Data(), settings: text)
    }

    package var publication: PublicationPoints {
        PublicationPoints(
            revocationList: revocationListURL, responder: responderURL, authorityCertificate: certificateURL)
    }

    package var certificates: [Certificate] {
        get throws(AuthorityStoreError) {
            do {
                return try chain.map { try Certificate(derEncoded: Array($0)) }
            } catch {
                throw .damaged
            }
        }
    }
}

extension Certificate {
    package var derRepresentation: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return serializer.serializedBytes
        }
    }
}
