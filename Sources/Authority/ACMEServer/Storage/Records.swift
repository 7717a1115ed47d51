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

/// The record of an account in a store.
public struct AccountRecord: ACMERecord {
    /// The name of the kind: `account`.
    public static let kind = "account"
    /// The identifier: the last part of the account's URL.
    public let id: String
    var key: JSONWebKey
    var status: Account.Status
    var contact: [String]
    /// What the account is bound to outside of ACME.
    var externalAccount: String?
    let created: Date
    /// When it last placed an order or was changed.
    var used: Date?

    /// The group: the thumbprint of the account's key, by which the account is found.
    public var group: String { key.thumbprint }
    /// When the record can be removed: 30 days after its creation if the account was never used, else three years after the last use.
    public var end: Date? { used.map { $0 + 3 * 365 * 86_400 } ?? created + 30 * 86_400 }
}

/// The record of an order in a store.
public struct OrderRecord: ACMERecord {
    /// The name of the kind: `order`.
    public static let kind = "order"
    /// The identifier: the last part of the order's URL.
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

    /// The group: the identifier of the account.
    public var group: String { account }
    /// When the record can be removed: a day after the order expires.
    public var end: Date? { expires + 86_400 }
}

/// The record of an authorization in a store.
public struct AuthorizationRecord: ACMERecord {
    /// The name of the kind: `authorization`.
    public static let kind = "authorization"
    /// The identifier: the last part of the authorization's URL.
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

    /// The group: the identifier of the account.
    public var group: String { account }
    /// When the record can be removed: a day after the authorization expires.
    public var end: Date? { expires + 86_400 }

    /// How far it is, seen at a time.
    func status(at now: Date) -> Authorization.Status {
        now >= expires && (status == .pending || status == .valid) ? .expired : status
    }
}

/// The record of a certificate that an account ordered.
public struct CertificateRecord: ACMERecord {
    /// The name of the kind: `certificate`.
    public static let kind = "certificate"
    /// The identifier: the serial number in lower-case hexadecimal digits, without zeros in front.
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

    /// The group: the identifier of the account.
    public var group: String { account }
    /// When the record can be removed: a day after the certificate expires.
    public var end: Date? { expires + 86_400 }
}
