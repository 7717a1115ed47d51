// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME
public import Countersign
internal import EssentialFoundation
public import X509

/// An ACME client, which gets certificates from an authority (RFC 8555).
public struct ACMEClient: Sendable {
    /// The URLs of the authority's resources.
    public var directory: ACMEDirectory { exchange.directory }
    /// The timeout for one order, from the request to the certificate; the default is five minutes.
    ///
    /// An account uses the value that the client has when the account is registered or found.
    public var timeout: Duration = .seconds(300)
    let exchange: Exchange

    /// Requests an authority's directory.
    ///
    /// - Parameters:
    ///   - url: The URL of the directory.
    ///   - client: The client that sends requests; its policy decides whether the authority's server is trusted.
    /// - Throws: ``ACMEClientError/refused(_:retryAfter:)``, ``ACMEClientError/unexpectedResponse(url:status:)``, and
    ///   the errors of the client.
    public init(directory url: String, over client: any RequestSender) async throws {
        let reply = try await Exchange.get(url, over: client)
        exchange = Exchange(client: client, directory: try reply.decode(ACMEDirectory.self))
    }

    /// Creates an account for a key, or finds the existing account of the key (RFC 8555 section 7.3).
    ///
    /// - Parameters:
    ///   - key: The account's key, which must have no other use.
    ///   - contact: The contact URLs of the account's owner, such as `mailto:mary@example.org`.
    ///   - agreesToTerms: Whether the account's owner agrees to the terms of service in the directory.
    ///   - external: The account outside of ACME to which the new account is bound; `nil`, the default, for none.
    /// - Returns: The account.
    /// - Throws: ``ACMEClientError/termsNotAgreed(url:)``, ``ACMEClientError/refused(_:retryAfter:)``,
    ///   ``ACMEClientError/unexpectedResponse(url:status:)``, and the errors of the client and the key.
    public func register(
        _ key: AccountKey, contact: [String] = [], agreesToTerms: Bool = false, external: ExternalAccount? = nil
    ) async throws -> ACMEAccount {
        if let terms = directory.meta?.termsOfService, !agreesToTerms {
            throw ACMEClientError.termsNotAgreed(url: terms)
        }
        let binding = try external.map { external in
            let bytes = try JSONWebSignature.bind(key.publicKey, to: external, url: directory.newAccount)
            return try JSONDecoder().decode([String: String].self, from: Data(bytes))
        }
        return try await account(
            key,
            NewAccount(
                contact: contact.isEmpty ? nil : contact, termsOfServiceAgreed: agreesToTerms ? true : nil,
                externalAccountBinding: binding))
    }

    /// Finds the account of a key (RFC 8555 section 7.3.1).
    ///
    /// - Parameter key: The account's key.
    /// - Returns: The account.
    /// - Throws: ``ACMEClientError/refused(_:retryAfter:)`` with `accountDoesNotExist` if there is none,
    ///   ``ACMEClientError/unexpectedResponse(url:status:)``, and the errors of the client and the key.
    public func existingAccount(_ key: AccountKey) async throws -> ACMEAccount {
        try await account(key, NewAccount(onlyReturnExisting: true))
    }

    private func account(_ key: AccountKey, _ wanted: NewAccount) async throws -> ACMEAccount {
        let payload = Array(try JSONEncoder().encode(wanted))
        let reply = try await exchange.post(payload, to: directory.newAccount, as: nil, with: key)
        guard let url = reply.location else { throw reply.unexpected }
        return ACMEAccount(url: url, key: key, timeout: timeout, exchange: exchange)
    }

    private struct NewAccount: Encodable {
        var contact: [String]?
        var termsOfServiceAgreed: Bool?
        var onlyReturnExisting: Bool?
        var externalAccountBinding: [String: String]?
    }

    /// Requests the renewal information of a certificate (RFC 9773 section 4).
    ///
    /// - Parameter certificate: The identifier of the certificate.
    /// - Returns: The renewal information, and the delay before the next request: a minute to a day, and six hours if
    ///   the authority does not give one (RFC 9773 section 4.3).
    /// - Throws: ``ACMEClientError/notOffered(_:)``, ``ACMEClientError/refused(_:retryAfter:)``,
    ///   ``ACMEClientError/unexpectedResponse(url:status:)``, and the errors of the client.
    public func renewalInfo(
        of certificate: CertificateIdentifier
    ) async throws -> (info: RenewalInfo, askAgainAfter: Duration) {
        guard let url = directory.renewalInfo else { throw ACMEClientError.notOffered(.renewalInfo) }
        let reply = try await Exchange.get("\(url)/\(certificate)", over: exchange.client)
        let info = try reply.decode(RenewalInfo.self)
        // RFC 9773 section 4.2: a client treats an empty window like a missing response.
        guard info.suggestedWindow.start < info.suggestedWindow.end else { throw reply.unexpected }
        return (info, min(max(reply.retryAfter ?? .seconds(21_600), .seconds(60)), .seconds(86_400)))
    }

    /// Revokes a certificate with its own key, without an account (RFC 8555 section 7.6).
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - key: The key of the certificate.
    ///   - reason: The reason; `nil`, the default, for none.
    /// - Throws: ``ACMEClientError/refused(_:retryAfter:)``, ``ACMEClientError/unexpectedResponse(url:status:)``, and
    ///   the errors of the client and the key.
    public func revoke(_ certificate: Certificate, with key: AccountKey, reason: RevocationReason? = nil) async throws {
        let payload = try Revocation(certificate, reason).encoded
        _ = try await exchange.post(payload, to: directory.revokeCert, as: nil, with: key)
    }
}
