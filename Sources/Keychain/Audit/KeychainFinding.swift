// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import Challenges
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
        /// Other items, with these numbers, have the same password.
        case reused([KeychainItem.ID])
        /// The password is for a server without TLS, so that it is sent in clear.
        case plainHTTP
        /// A server has rejected the password.
        case rejected
        /// The password cannot be read now, so it was not looked at.
        case unreadable
    }

    /// The item.
    public let item: KeychainItem
    /// The problem.
    public let problem: Problem
}

extension UnlockedKeychain {
    /// Finds certificates that expire, and passwords that are weak, used twice, rejected or sent in clear.
    ///
    /// - Parameters:
    ///   - end: Certificates that expire before this instant are found.
    ///   - now: The instant at which a certificate has expired or not.
    /// - Returns: The findings by item, older items first.
    /// - Throws: ``KeychainError``, but not for passwords that cannot be read now, which are findings.
    public func findings(expiringBefore end: Date, at now: Date = .now) async throws -> [KeychainFinding] {
        var findings: [KeychainFinding] = []
        var owners: [Secret: [KeychainItem]] = [:]
        for item in try await items() {
            switch item.kind {
            case .certificate(let facts, _, _), .identity(let facts, _):
                if facts.notAfter < now {
                    findings.append(KeychainFinding(item: item, problem: .expired(facts.notAfter)))
                } else if facts.notAfter < end {
                    findings.append(KeychainFinding(item: item, problem: .expiring(facts.notAfter)))
                }
            case .genericPassword(_, let account):
                try await examine(item, account, "", &owners, &findings)
            case .internetPassword(let space, let user):
                if item.isRejected { findings.append(KeychainFinding(item: item, problem: .rejected)) }
                if space.scheme == "http" { findings.append(KeychainFinding(item: item, problem: .plainHTTP)) }
                // A token is made by a machine, and is no password.
                if let user { try await examine(item, user, space.host.description, &owners, &findings) }
            case .note: break
            }
        }
        for items in owners.values where items.count > 1 {
            for item in items {
                let others = items.map(\.id).filter { $0 != item.id }
                findings.append(KeychainFinding(item: item, problem: .reused(others)))
            }
        }
        return findings.sorted { $0.item.id < $1.item.id }
    }

    private func examine(
        _ item: KeychainItem, _ user: String, _ host: String, _ owners: inout [Secret: [KeychainItem]],
        _ findings: inout [KeychainFinding]
    ) async throws {
        do {
            guard case .password(let password) = try await secret(of: item) else { return }
            owners[password, default: []].append(item)
            if let weakness = PasswordWeakness.find(in: password, user: user, host: host) {
                findings.append(KeychainFinding(item: item, problem: .weak(weakness)))
            }
        } catch KeychainError.unlockNeeded, KeychainError.notOnThisDevice {
            findings.append(KeychainFinding(item: item, problem: .unreadable))
        }
    }
}
