// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import Challenges
internal import Crypto
internal import Secrets

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A problem of an item that its owner should look at.
public struct KeychainFinding: Hashable, Sendable {
    /// The kind of a finding.
    @nonexhaustive
    public enum Problem: Hashable, Sendable {
        /// The certificate expired at the given time.
        case expired(Date)
        /// The certificate expires at the given time, which is before the end that the caller asked for.
        case expiring(Date)
        /// The password is easily guessed.
        case weak(PasswordWeakness)
        /// Other items have the same password: the numbers of the first ten, and how many there are.
        case reused([KeychainItem.ID], count: Int)
        /// The password is for a server without TLS, so that it is sent in clear.
        case plainHTTP
        /// A server has rejected the password.
        case rejected
        /// The item with this number is the same item and newer, so that it is used instead.
        case superseded(by: KeychainItem.ID)
        /// The password cannot be read now, so it was not looked at.
        case unreadable
        /// The password is damaged, so it was not looked at.
        case damaged
    }

    /// The item.
    public let item: KeychainItem
    /// The problem.
    public let problem: Problem
}

extension UnlockedKeychain {
    /// Finds certificates that expire, passwords that are weak, used twice, rejected or sent in clear, and items that are stored twice.
    ///
    /// Items that are damaged as a whole are left out; ``listing(_:)`` names them.
    ///
    /// - Parameters:
    ///   - end: Certificates that expire before this instant are found.
    ///   - now: The instant at which a certificate has expired or not.
    /// - Returns: The findings by item, older items first.
    /// - Throws: ``KeychainError``, but not for passwords that cannot be read now, which are findings.
    public func findings(expiringBefore end: Date, at now: Date = .now) async throws -> [KeychainFinding] {
        try await read { reader in
            var audit = PasswordAudit()
            for item in try reader.listing(KeychainQuery()).items {
                audit.compare(item)
                switch item.kind {
                case .certificate(let facts, _, _), .identity(let facts, _):
                    if facts.notAfter < now {
                        audit.find(.expired(facts.notAfter), item)
                    } else if facts.notAfter < end {
                        audit.find(.expiring(facts.notAfter), item)
                    }
                case .genericPassword(_, let account): try audit.examine(item, account, "", reader)
                case .internetPassword(let space, let user):
                    if item.isRejected { audit.find(.rejected, item) }
                    if space.scheme == "http" { audit.find(.plainHTTP, item) }
                    // A token is made by a machine, and is no password.
                    if let user { try audit.examine(item, user, space.host.description, reader) }
                case .note: break
                }
            }
            return audit.complete()
        }
    }
}

/// The findings of one audit.
private struct PasswordAudit {
    private var findings: [KeychainFinding] = []
    /// The items of each password, by its code under a key of this audit: a `Secret` hashes to its length alone, so that many of one
    /// length would be compared one by one.
    private var owners: [HMAC<SHA256>.MAC: [KeychainItem]] = [:]
    private let key = SymmetricKey(size: .bits256)
    private var same: [ItemIdentity: [KeychainItem]] = [:]
    private var damaged: Set<KeychainItem.ID> = []

    mutating func compare(_ item: KeychainItem) {
        // Notes may share a title.
        if item.kind != .note { same[item.identity, default: []].append(item) }
    }

    mutating func find(_ problem: KeychainFinding.Problem, _ item: KeychainItem) {
        findings.append(KeychainFinding(item: item, problem: problem))
    }

    mutating func examine(_ item: KeychainItem, _ user: String, _ host: String, _ reader: KeychainReader) throws {
        do {
            guard case .password(let password) = try reader.secret(of: item) else { return }
            let code = password.withUnsafeBytes { HMAC<SHA256>.authenticationCode(for: $0, using: key) }
            owners[code, default: []].append(item)
            if let weakness = PasswordWeakness.find(in: password, user: user, host: host) {
                find(.weak(weakness), item)
            }
        } catch KeychainError.unlockNeeded, KeychainError.notOnThisDevice {
            find(.unreadable, item)
        } catch KeychainError.damagedItem {
            damaged.insert(item.id)
            find(.damaged, item)
        }
    }

    /// The findings, older items first.
    mutating func complete() -> [KeychainFinding] {
        for items in owners.values where items.count > 1 {
            // Each item is told of ten others, so that a password of many items does not make a list of many for each.
            let first = items.prefix(11).map(\.id)
            for item in items {
                find(.reused(Array(first.filter { $0 != item.id }.prefix(10)), count: items.count - 1), item)
            }
        }
        for items in same.values where items.count > 1 {
            // A newest item that is damaged is no reason to remove another.
            guard let newest = items.newest, !damaged.contains(newest.id) else { continue }
            for item in items where item.id != newest.id { find(.superseded(by: newest.id), item) }
        }
        return findings.sorted { $0.item.id < $1.item.id }
    }
}
