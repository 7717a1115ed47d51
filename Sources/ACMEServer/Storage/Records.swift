// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import SwiftASN1
internal import X509

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An account as it is kept.
public struct AccountRecord: ACMERecord {
    /// `account`.
    public static let kind = "account"
    /// The last part of its URL.
    public let id: String
    var key: JSONWebKey
    var status: Account.Status
    var contact: [String]
    /// What the account is bound to outside of ACME.
    var externalAccount: String?
    let created: Date
    /// When it last placed an order or was changed.
    var used: Date?

    /// The thumbprint of its key, by which an account is found.
    public var group: String { key.thumbprint }
    /// A month after it was made where it was never used, else after three years, which no certificate outlives.
    public var end: Date? { used.map { $0 + 3 * 365 * 86_400 } ?? created + 30 * 86_400 }
}

/// An order as it is kept.
public struct OrderRecord: ACMERecord {
    /// `order`.
    public static let kind = "order"
    /// The last part of its URL.
    public let id: String
    let account: String
    let identifiers: [Identifier]
    let authorizations: [String]
    let profile: String?
    let replaces: String?
    let expires: Date
    var status: Order.Status = .pending
    var error: Problem?
    /// When its certificate began to be made.
    var processingSince: Date?
    /// The serial number, in hexadecimal digits.
    var certificate: String?

    /// Its account.
    public var group: String { account }
    /// A day after it expired.
    public var end: Date? { expires + 86_400 }
}

/// An authorization as it is kept.
public struct AuthorizationRecord: ACMERecord {
    /// `authorization`.
    public static let kind = "authorization"
    /// The last part of its URL.
    public let id: String
    let account: String
    let order: String
    let identifier: Identifier
    let isWildcard: Bool
    var expires: Date
    var status: Authorization.Status = .pending
    var challenges: [ChallengeRecord]

    struct ChallengeRecord: Codable, Sendable {
        let type: Challenge.Kind
        let token: String
        var status: Challenge.Status = .pending
        var validated: Date?
        var error: Problem?
    }

    /// Its account.
    public var group: String { account }
    /// A day after it expired.
    public var end: Date? { expires + 86_400 }

    /// How far it is, seen at a time.
    func status(at now: Date) -> Authorization.Status {
        now >= expires && (status == .pending || status == .valid) ? .expired : status
    }
}

/// A certificate that an account ordered.
public struct CertificateRecord: ACMERecord {
    /// `certificate`.
    public static let kind = "certificate"
    /// The serial number, in hexadecimal digits.
    public let id: String
    let account: String
    /// The chain in PEM, leaf first.
    let chain: String
    let expires: Date
    /// The order that comes in its place.
    var replacedBy: String?

    /// The certificate itself; `nil` where the record cannot be read.
    var leaf: Certificate? {
        guard let pem = try? PEMDocument.parseMultiple(pemString: chain).first else { return nil }
        return try? Certificate(pemDocument: pem)
    }

    /// Its account.
    public var group: String { account }
    /// A day after it expired.
    public var end: Date? { expires + 86_400 }
}
