// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
public import EssentialFoundation
internal import HTTPTypes
internal import SwiftASN1
internal import X509

/// The record of an account in a store.
public struct AccountRecord: ACMERecord {
    /// The name of the kind: `account`.
    public static let kind = "account"
    /// The identifier: the last part of the account's URL.
    public let id: String
    var key: JSONWebKey
    var status: ACMEAccountObject.Status
    var contact: [String]
    /// The identifier of the external account to which the account is bound.
    var externalAccount: String?
    let created: Date
    /// The time of the last order or change; `nil` if there was none.
    var used: Date?

    /// The group: the thumbprint of the account's key, so that the account can be found by its key.
    public var group: String { key.thumbprint }
    /// The expiry time of the record: 30 days after the creation of an unused account, or three years after
    /// the last use.
    public var expiry: Date? { used.map { $0 + 3 * 365 * 86_400 } ?? created + 30 * 86_400 }
}

/// The record of an order in a store.
public struct OrderRecord: ACMERecord {
    /// The name of the kind: `order`.
    public static let kind = "order"
    /// The identifier: the last part of the order's URL.
    public let id: String
    let account: String
    let identifiers: [ACMEIdentifier]
    let authorizations: [String]
    let profile: String?
    let replaces: String?
    let expires: Date
    var status: ACMEOrder.Status = .pending
    var error: ACMEProblem?
    /// The time at which issuance began; `nil` before.
    var processingSince: Date?
    /// The serial number of the certificate in hexadecimal digits; `nil` before issuance.
    var certificate: String?

    /// The group: the identifier of the account.
    public var group: String { account }
    /// The expiry time of the record: a day after that of the order.
    public var expiry: Date? { expires + 86_400 }
}

/// The record of an authorization in a store.
public struct AuthorizationRecord: ACMERecord {
    /// The name of the kind: `authorization`.
    public static let kind = "authorization"
    /// The identifier: the last part of the authorization's URL.
    public let id: String
    let account: String
    let order: String
    let identifier: ACMEIdentifier
    let isWildcard: Bool
    var expires: Date
    var status: ACMEAuthorization.Status = .pending
    var challenges: [ChallengeRecord]

    struct ChallengeRecord: Codable, Sendable {
        let type: ACMEChallenge.Kind
        let token: String
        var status: ACMEChallenge.Status = .pending
        var validated: Date?
        var error: ACMEProblem?
    }

    /// The group: the identifier of the account.
    public var group: String { account }
    /// The expiry time of the record: a day after that of the authorization.
    public var expiry: Date? { expires + 86_400 }

    /// Returns the status at a time, which accounts for expiry.
    func status(at now: Date) -> ACMEAuthorization.Status {
        now >= expires && (status == .pending || status == .valid) ? .expired : status
    }
}

/// The record of a certificate that an account ordered.
public struct CertificateRecord: ACMERecord {
    /// The name of the kind: `certificate`.
    public static let kind = "certificate"
    /// The identifier: the serial number in lowercase hexadecimal digits, without leading zeros.
    public let id: String
    let account: String
    /// The chain in PEM, leaf first.
    let chain: String
    let expires: Date
    /// The identifier of the order that replaces the certificate.
    var replacedBy: String?

    /// The certificate; `nil` if the record is malformed.
    var leaf: Certificate? {
        guard let pem = try? PEMDocument.parseMultiple(pemString: chain).first else { return nil }
        return try? Certificate(pemDocument: pem)
    }

    /// The group: the identifier of the account.
    public var group: String { account }
    /// The expiry time of the record: a day after that of the certificate.
    public var expiry: Date? { expires + 86_400 }
}

/// A counter for one clock hour, for the limits of the configuration.
struct Tally: ACMERecord {
    /// The event that is counted.
    enum Subject {
        case newAccounts
        case orders(account: String)
        case failures(account: String, ACMEIdentifier)

        fileprivate var name: String {
            switch self {
            case .newAccounts: "accounts"
            case .orders(let account): "orders/\(account)"
            case .failures(let account, let identifier): "failures/\(account)/\(identifier.type)/\(identifier.value)"
            }
        }

        fileprivate func refusal(limit: Int) -> Refusal {
            switch self {
            case .newAccounts: Refusal(.rateLimited, "The server creates at most \(limit) accounts in an hour.")
            case .orders: Refusal(.rateLimited, "The account may place at most \(limit) orders in an hour.")
            case .failures(_, let identifier):
                Refusal(
                    .rateLimited, "The account has failed \(limit) times within an hour to prove control.",
                    parts: [.init(.rateLimited, "Find out why before the next attempt.", identifier: identifier)])
            }
        }
    }

    private static let window: TimeInterval = 3_600

    static let kind = "tally"
    let id: String
    fileprivate(set) var count = 0
    let expires: Date

    fileprivate init(of subject: Subject, at now: Date) {
        let start = (now.timeIntervalSince1970 / Self.window).rounded(.down) * Self.window
        id = "\(subject.name)/\(Int(start))"
        expires = Date(timeIntervalSince1970: start + Self.window)
    }

    var group: String { "" }
    var expiry: Date? { expires }
}

extension ACMERecords {
    /// Throws a refusal if the count of this clock hour has reached the limit (RFC 8555 section 6.6).
    func require(_ subject: Tally.Subject, below limit: Int, at now: Date) throws {
        let tally = try tally(of: subject, at: now)
        guard tally.count >= limit else { return }
        var refusal = subject.refusal(limit: limit)
        refusal.headers[.retryAfter] = "\(Int(tally.expires.timeIntervalSince(now).rounded(.up)))"
        throw refusal
    }

    func count(_ subject: Tally.Subject, at now: Date) throws {
        var tally = try tally(of: subject, at: now)
        tally.count += 1
        try save(tally)
    }

    private func tally(of subject: Tally.Subject, at now: Date) throws -> Tally {
        let new = Tally(of: subject, at: now)
        return try find(Tally.self, new.id) ?? new
    }
}
