// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME
internal import CertificateAuthority
public import CertificateTrust
internal import Countersign
public import X509

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// An account at an authority, with which certificates are ordered.
public struct ACMEAccount: Sendable {
    /// Its URL, which is its name.
    public let url: String
    /// The key of the account.
    public let key: AccountKey
    let patience: Duration
    let exchange: Exchange

    /// Orders a certificate, answers the challenges, and takes the certificate (RFC 8555 section 7.4).
    ///
    /// - Parameters:
    ///   - identifiers: The names; Identifier/init(_:) reads them.
    ///   - key: The certificate's key, which is not the account's.
    ///   - responders: They answer challenges; the first one of a kind that the authority offers is used.
    ///   - profile: One of those that the directory names.
    ///   - replaces: The certificate in whose place the new one comes (RFC 9773 section 5).
    /// - Returns: The chain, whose names and key were checked.
    /// - Throws: ACMEClientError, and what the session and the responders throw.
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
    ///   - reason: Why; `nil` does not say.
    /// - Throws: ACMEClientError, and what the session throws.
    public func revoke(_ certificate: Certificate, reason: RevocationReason? = nil) async throws {
        _ = try await post(try Revocation(certificate, reason).encoded, to: exchange.directory.revokeCert)
    }

    /// What the authority knows of the account.
    ///
    /// - Returns: The account.
    /// - Throws: ACMEClientError, and what the session throws.
    public func read() async throws -> Account { try await post([], to: url).decode(Account.self) }

    /// Sets the URLs at which the account's owner is reached (RFC 8555 section 7.3.2).
    ///
    /// - Parameter contact: Such as `mailto:mary@example.org`; none removes all.
    /// - Throws: ACMEClientError, and what the session throws.
    public func update(contact: [String]) async throws {
        _ = try await post(Array(try JSONEncoder().encode(["contact": contact])), to: url)
    }

    /// Gives the account up, for good (RFC 8555 section 7.3.6).
    ///
    /// - Throws: ACMEClientError, and what the session throws.
    public func deactivate() async throws { _ = try await post(Array(#"{"status":"deactivated"}"#.utf8), to: url) }

    /// Changes the key (RFC 8555 section 7.3.5).
    ///
    /// - Parameter new: The key that signs from now on.
    /// - Returns: The account with that key.
    /// - Throws: ACMEClientError, and what the session throws.
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
