// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME
internal import CertificateAuthority
public import CertificateTrust
internal import Countersign
internal import EssentialFoundation
public import X509

/// An account at an authority, with which certificates are ordered.
public struct ACMEAccount: Sendable {
    /// The URL of the account, by which requests name it.
    public let url: String
    /// The key of the account.
    public let key: AccountKey
    let patience: Duration
    let exchange: Exchange

    /// Orders a certificate, answers the challenges, and downloads the certificate (RFC 8555 section 7.4).
    ///
    /// - Parameters:
    ///   - identifiers: The names, in their canonical spelling: `Identifier.init(_:)` reads them.
    ///   - key: The certificate's key, which must not be the account's.
    ///   - responders: The responders that answer challenges; the first one of a kind that the authority offers is used.
    ///   - profile: A profile that the directory names; `nil`, the default, for the authority's usual one.
    ///   - replaces: The certificate that the new one replaces (RFC 9773 section 5); `nil`, the default, for none.
    /// - Returns: The chain, whose names and key were checked.
    /// - Throws: ``ACMEClientError``, `CertificateAuthorityError` for a name that no certificate can have, the errors of the client, the
    ///   responders and the keys, and `CancellationError`.
    public func obtain(
        _ identifiers: [Identifier], key: Certificate.PrivateKey, answering responders: [any ChallengeResponder],
        profile: String? = nil, replacing replaces: CertificateIdentifier? = nil
    ) async throws -> IssuedChain {
        let run = OrderRun(account: self, responders: responders, deadline: .now + patience)
        return try await run.obtain(
            NewOrder(identifiers: identifiers, profile: profile, replaces: replaces?.description), key: key)
    }

    /// Revokes a certificate that the account ordered, or for whose names it is authorized (RFC 8555 section 7.6).
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - reason: The reason; `nil`, the default, gives none.
    /// - Throws: ``ACMEClientError/refused(_:retryAfter:)`` or ``ACMEClientError/unexpectedResponse(url:status:)``, and the errors of the
    ///   client and of the key.
    public func revoke(_ certificate: Certificate, reason: RevocationReason? = nil) async throws {
        _ = try await post(try Revocation(certificate, reason).encoded, to: exchange.directory.revokeCert)
    }

    /// Reads the account as the authority has it (RFC 8555 section 7.1.2).
    ///
    /// - Returns: The account.
    /// - Throws: ``ACMEClientError/refused(_:retryAfter:)`` or ``ACMEClientError/unexpectedResponse(url:status:)``, and the errors of the
    ///   client and of the key.
    public func read() async throws -> Account { try await post([], to: url).decode(Account.self) }

    /// Sets the URLs at which the account's owner is reached (RFC 8555 section 7.3.2).
    ///
    /// - Parameter contact: URLs such as `mailto:mary@example.org`; an empty array removes all.
    /// - Throws: ``ACMEClientError/refused(_:retryAfter:)`` or ``ACMEClientError/unexpectedResponse(url:status:)``, and the errors of the
    ///   client and of the key.
    public func update(contact: [String]) async throws {
        _ = try await post(Array(try JSONEncoder().encode(["contact": contact])), to: url)
    }

    /// Deactivates the account, which cannot be undone (RFC 8555 section 7.3.6).
    ///
    /// - Throws: ``ACMEClientError/refused(_:retryAfter:)`` or ``ACMEClientError/unexpectedResponse(url:status:)``, and the errors of the
    ///   client and of the key.
    public func deactivate() async throws { _ = try await post(Array(#"{"status":"deactivated"}"#.utf8), to: url) }

    /// Changes the account's key (RFC 8555 section 7.3.5).
    ///
    /// - Parameter new: The key that signs from now on.
    /// - Returns: The account with the new key; this value keeps the old key, which the authority no longer accepts.
    /// - Throws: ``ACMEClientError/refused(_:retryAfter:)`` or ``ACMEClientError/unexpectedResponse(url:status:)``, and the errors of the
    ///   client and of the keys.
    public func changeKey(to new: AccountKey) async throws -> ACMEAccount {
        struct Change: Encodable {
            let account: String
            let oldKey: JSONWebKey
        }
        let target = exchange.directory.keyChange
        let change = try JSONEncoder().encode(Change(account: url, oldKey: key.publicKey))
        _ = try await post(try JSONWebSignature.sign(change, url: target, with: new), to: target)
        return ACMEAccount(url: url, key: new, patience: patience, exchange: exchange)
    }

    func post(_ payload: [UInt8], to target: String) async throws -> Reply {
        try await exchange.post(payload, to: target, as: url, with: key)
    }
}

/// An issued certificate with the chains that the authority gave for it.
public struct IssuedChain: Hashable, Sendable {
    /// The certificate and its issuers, leaf first; never empty.
    public let chain: [Certificate]
    /// Other chains for the same key and names, leaf first, which end at other anchors: eight at most (RFC 8555 section 7.4.2).
    public let alternates: [[Certificate]]
    /// The issued certificate, which is the first one of the chain.
    public let certificate: Certificate
}

/// What a revocation sends (RFC 8555 section 7.6).
struct Revocation: Encodable {
    let certificate: String
    let reason: UInt8?

    init(_ certificate: Certificate, _ reason: RevocationReason?) {
        self.certificate = Base64URL.encode(certificate.derBytes)
        self.reason = reason?.code
    }

    var encoded: [UInt8] { get throws { Array(try JSONEncoder().encode(self)) } }
}
