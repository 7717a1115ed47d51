// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateAuthorities
package import EssentialFoundation
internal import SwiftASN1
package import X509

/// The stored settings of an authority, without its keys.
package struct AuthoritySettings: Codable, Sendable {
    /// The location of a key.
    package enum KeyLocation: Codable, Hashable, Sendable {
        /// A PEM file, relative to the authority's folder.
        case file(String)
        /// The label of an identity in the keychain.
        case keychain(String)
        /// The URI of a key in a PKCS#11 token (RFC 7512), and the path of the token's module.
        case token(uri: String, module: String)
    }

    /// The display name of the authority.
    package var name: String
    /// The issuing certificate and its issuers up to the root, in DER.
    package var chain: [Data]
    /// The location of the issuing certificate's key.
    package var issuingKey: KeyLocation
    /// The location of the root's key, which is the issuing key if the root issues certificates itself.
    package var rootKey: KeyLocation
    package var revocationListURL: URL?
    package var responderURL: URL?
    package var certificateURL: URL?
    /// The validity of a leaf in days.
    package var leafDays: Int

    package init(
        name: String, chain: [Certificate], issuingKey: KeyLocation, rootKey: KeyLocation,
        publication: PublicationPoints,
        leafDays: Int
    ) throws {
        self.name = name
        self.chain = try chain.map { Data(try $0.derRepresentation) }
        (self.issuingKey, self.rootKey, self.leafDays) = (issuingKey, rootKey, leafDays)
        (revocationListURL, responderURL, certificateURL) =
            (publication.revocationList, publication.responder, publication.authorityCertificate)
    }

    /// Reads the settings from their JSON in the database.
    init(json text: String) throws(AuthorityStoreError) {
        guard let settings = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { throw .damaged }
        self = settings
    }

    /// Returns the detail of a log entry about the settings, from their JSON in the database.
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
