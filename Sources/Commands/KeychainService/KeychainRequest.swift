// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
package import Challenges
package import ErrorExplanations
import Identities
import Secrets
import X509
internal import SwiftASN1

/// A request of `countersign` to `countersign-keychain serve`: one JSON object a line, answered by one JSON object.
///
/// The keychain has a separate program because its dependencies would make `countersign` three times as large.
package enum KeychainRequest: Codable, Sendable {
    case read(Space)
    case save(Space, Login)
    case remove(Space)
    case trustSettings
    case identities
    case identity(label: String)
    case saveIdentity(KeychainResponse.Candidate, label: String)

    /// A protection space.
    package struct Space: Codable, Sendable {
        private let host: String
        private let port: Int
        private let scheme: String
        private let realm: String?
        private let method: String
        private let isProxy: Bool

        package init(_ space: ProtectionSpace) {
            (host, port, scheme) = (space.host.description, space.port, space.scheme)
            (realm, method, isProxy) = (space.realm, space.method.description, space.role == .proxy)
        }

        /// - Throws: `HostNameError`.
        package func space() throws -> ProtectionSpace {
            ProtectionSpace(
                host: try HostName(host), port: port, scheme: scheme, realm: realm,
                method: AuthenticationMethod(method), role: isProxy ? .proxy : .origin)
        }
    }

    /// A password, or a token if there is no user.
    package struct Login: Codable, Sendable {
        private let user: String?
        private let password: [UInt8]

        /// Creates a login, or `nil` for a credential of another kind.
        package init?(_ credential: Credential) {
            switch credential.kind {
            case .password(let user, let password):
                (self.user, self.password) = (user, password.withUnsafeBytes { Array($0) })
            case .token(let token): (user, password) = (nil, token.withUnsafeBytes { Array($0) })
            default: return nil
            }
        }

        package var credential: Credential {
            let secret = Secret(utf8: password)
            return user.map { .password(user: $0, password: secret, persistence: .permanent) }
                ?? .token(secret, persistence: .permanent)
        }
    }
}

/// The answer to a ``KeychainRequest``.
package enum KeychainResponse: Codable, Sendable {
    case done
    case login(KeychainRequest.Login?)
    case trustSettings([Entry])
    case identities([Candidate])
    /// Holds the parts of an explanation.
    case failure(code: String, message: String, reason: String, advice: String, kind: ErrorExplanation.Kind?)

    package init(_ explanation: ErrorExplanation) {
        self = .failure(
            code: explanation.code, message: explanation.message, reason: explanation.reason,
            advice: explanation.advice, kind: explanation.kind)
    }

    /// An entry of ``TrustSettings``.
    package struct Entry: Codable, Sendable {
        private let certificate: [UInt8]
        private let setting: TrustSettings.Setting
        private let hosts: [String]

        /// - Throws: An error if the certificate cannot be encoded.
        package init(_ entry: TrustSettings.Entry) throws {
            certificate = try entry.certificate.serializeAsPEM().derBytes
            (setting, hosts) = (entry.setting, entry.hosts.map(\.description))
        }

        /// - Throws: An error if the certificate cannot be read.
        package func entry() throws -> TrustSettings.Entry {
            TrustSettings.Entry(
                try Certificate(derEncoded: certificate), setting, hosts: try hosts.map { try HostName($0) })
        }
    }

    /// An ``IdentityChoice/Candidate``.
    package struct Candidate: Codable, Sendable {
        private let identity: [UInt8]
        private let host: String?

        /// - Throws: An error if the key cannot be encoded.
        package init(_ candidate: IdentityChoice.Candidate) throws {
            identity = try candidate.identity.pemEncodedChain + candidate.identity.pemEncodedPrivateKey
            host = candidate.host
        }

        /// - Throws: `IdentityError`.
        package func candidate() throws -> IdentityChoice.Candidate {
            IdentityChoice.Candidate(try Identity(pem: identity), host: host)
        }
    }
}
