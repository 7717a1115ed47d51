// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A log of certificates, as a log list describes it.
public struct TransparencyLog: Hashable, Sendable {
    /// Whether user agents count a log's timestamps, and since when (Chrome's CT Log Lifecycle).
    @nonexhaustive
    public enum State: Hashable, Sendable {
        /// Applied for, and not accepted yet.
        case pending(since: Date)
        case qualified(since: Date)
        case usable(since: Date)
        /// Takes no more certificates.
        case readOnly(since: Date)
        /// Timestamps from before that instant may still count.
        case retired(since: Date)
        case rejected(since: Date)
        /// The list does not say.
        case unknown
    }

    /// A former operator of the log.
    struct PreviousOperator: Hashable {
        let name: String
        /// The instant at which the operator stopped.
        let end: Date
    }

    /// The name of the log in the list.
    public let name: String
    /// SHA-256 of the log's key, 32 octets (RFC 6962 section 3.2).
    public let id: [UInt8]
    /// The current operator, by the name in the list.
    public let operatorName: String
    /// Whether its timestamps count.
    public let state: State
    /// Whether it is a log of RFC 6962, and not one of the static-ct-api, which the list has among `tiled_logs`.
    public let isRFC6962: Bool
    /// Whether it is a log for tests, whose timestamps never count.
    public let isTest: Bool
    let previousOperators: [PreviousOperator]
    /// When the certificates end that it takes.
    let interval: Range<Date>?
    /// `nil` where it is neither ECDSA on P-256 nor RSA of 2048 bits at least (RFC 6962 section 2.1.4).
    let key: Certificate.PublicKey?

    /// Who operated it at an instant: a log that changes hands must not change what its older timestamps count for.
    func operatorName(at time: Date) -> String {
        previousOperators.filter { time < $0.end }.min { $0.end < $1.end }?.name ?? operatorName
    }
}
