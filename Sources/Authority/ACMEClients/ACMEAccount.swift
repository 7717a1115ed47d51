// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME
internal import CertificateAuthorities
public import CertificateTrust
internal import Countersign
internal import EssentialFoundation
public import X509

/// An account at an authority, which orders certificates.
public struct ACMEAccount: Sendable {
    /// The URL of the account, which is its identifier in requests.
    public let url: String
    /// The key of the account.
    public let key: AccountKey
    let timeout: Duration
    let exchange: Exchange

    /// Orders a certificate, answers the challenges, and downloads the certificate (RFC 8555 section 7.4).
    ///
    /// - Parameters:
    ///   - identifiers: The names in canonical spelling, as `ACMEIdentifier.init(_:)` returns them.
    ///   - key: The certificate's key, which must not be the account's.
    ///   - responders: The responders that answer challenges. The account uses the first one whose kind the
    ///     authority offers.
    ///   - profile: A profile of the directory; `nil`, the default, for the authority's default profile.
    ///   - replaces: The certificate that the new one replaces (RFC 9773 section 5); `nil`, the default, for none.
    /// - Returns: The chain, whose names and key were checked.
    /// - Throws: ``ACMEClientError``, `CertificateAuthorityError` for a name that is not possible in a certificate, the
    ///   errors of the client, the responders and the keys, and `CancellationError`.
    public func obtain(
        _ identifiers: [ACMEIdentifier], key: Certificate.PrivateKey, answering responders: [any ChallengeResponder],
        profile: String? = nil, replacing replaces: CertificateIdentifier? = nil
    ) async throws -> IssuedChain {
        let run = OrderRun(account: self, responders: responders, deadline: .now + timeout)
        return try await run.obtain(
            NewOrder(identifiers: identifiers, profile: profile, replaces: replaces?.description), key: key)
    }

    /// Revokes a certificate that the account ordered, or for whose names it is authorized (RFC 8555 section 7.6).
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - reason: The reason; `nil`, the default, for none.
    /// - Throws: ``ACMEClientError/refused(_:retryAfter:)``, ``ACMEClientError/unexpectedResponse(url:status:)``, and
    ///   the errors of the client and the key.
    public func revoke(_ certificate: Certificate, reason: RevocationReason? = nil) async throws {
        _ = try await post(try Revocation(certificate, reason).encoded, to: exchange.directory.revokeCert)
    }

    /// Requests the account resource from the authority (RFC 8555 section 7.1.2).
    ///
    /// - Returns: The account.
    /// - Throws: ``ACMEClientError/refused(_:retryAfter:)``, ``ACMEClientError/unexpectedResponse(url:status:)``, and
    ///   the errors of the client and the key.
    public func read() async throws -> ACMEAccountObject { try await post([], to: url).decode(ACMEAccountObject.self) }

    /// Sets the contact URLs of the account's owner (RFC 8555 section 7.3.2).
    ///
    /// - Parameter contact: URLs such as `mailto:mary@example.org`; an empty array removes all.
    /// - Throws: ``ACMEClientError/refused(_:retryAfter:)``, ``ACMEClientError/unexpectedResponse(url:status:)``, and
    ///   the errors of the client and the key.
    public func update(contact: [String]) async throws {
        _ = try await post(Array(try JSONEncoder().encode(["contact": contact])), to: url)
    }

    /// Deactivates the account, which cannot be undone (RFC 8555 section 7.3.6).
    ///
    /// - Throws: ``ACMEClientError/refused(_:retryAfter:)``, ``ACMEClientError/unexpectedResponse(url:status:)``, and
    ///   the errors of the client and the key.
    public func deactivate() async throws { _ = try await post(Array(#"{"status":"deactivated"}"#.utf8), to: url) }

    /// Changes the account's key (RFC 8555 section 7.3.5).
    ///
    /// - Parameter new: The new key.
    /// - Returns: The account with the new key. The authority no longer accepts the old key, which the original
    ///   value still contains.
    /// - Throws: ``ACMEClientError/refused(_:retryAfter:)``, ``ACMEClientError/unexpectedResponse(url:status:)``, and
    ///   the errors of the client and the keys.
    public func changeKey(to new: AccountKey) async throws -> ACMEAccount {
        struct Change: Encodable {
            let account: String
            let oldKey: JSONWebKey
        }
        let target = exchange.directory.keyChange
        let change = try JSONEncoder().encode(Change(account: url, oldKey: key.publicKey))
        _ = try await post(try JSONWebSignature.sign(change, url: target, with: new), to: target)
        return ACMEAccount(url: url, key: new, timeout: timeout, exchange: exchange)
    }

    func post(_ payload: [UInt8], to target: String) async throws -> Reply {
        try await exchange.post(payload, to: target, as: url, with: key)
    }
}

/// An issued certificate with the chains that the authority offers for it.
public struct IssuedChain: Hashable, Sendable {
    /// The certificate and its issuers, leaf first; never empty.
    public let chain: [Certificate]
    /// The alternate chains for the same key and names, leaf first, which end at other anchors; at most eight (RFC 8555
    /// section 7.4.2).
    public let alternates: [[Certificate]]
    /// The issued certificate, which is the first in the chain.
    public let certificate: Certificate
}

/// The payload of a revocation request (RFC 8555 section 7.6).
struct Revocation: Encodable {
    let certificate: String
    let reason: UInt8?

    init(_ certificate: Certificate, _ reason: RevocationReason?) {
        self.certificate = Base64URL.encode(certificate.derBytes)
        self.reason = reason?.code
    }

    var encoded: [UInt8] { get throws { Array(try JSONEncoder().encode(self)) } }
}
