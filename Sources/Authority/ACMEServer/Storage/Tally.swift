// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// How often something happened within an hour, for the limits of the configuration.
struct Tally: ACMERecord {
    /// What is counted.
    enum Subject {
        case newAccounts
        case orders(account: String)
        case failures(account: String, Identifier)

        fileprivate var name: String {
            switch self {
            case .newAccounts: "accounts"
            case .orders(let account): "orders/\(account)"
            case .failures(let account, let identifier): "failures/\(account)/\(identifier.type)/\(identifier.value)"
            }
        }

        fileprivate func refusal(limit: Int) -> Refusal {
            switch self {
            case .newAccounts: Refusal(.rateLimited, "The server makes \(limit) accounts in an hour at most.")
            case .orders: Refusal(.rateLimited, "The account may place \(limit) orders in an hour at most.")
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
    var end: Date? { expires }
}

extension ACMERecords {
    /// Refuses what has happened as often within this hour as it may (RFC 8555 section 6.6).
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
