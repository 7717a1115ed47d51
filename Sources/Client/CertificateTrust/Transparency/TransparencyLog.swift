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
    ///
    /// The date is the instant at which the log entered the state.
    @nonexhaustive
    public enum State: Hashable, Sendable {
        /// The operator has applied, and the log is not accepted yet; its timestamps do not count.
        case pending(since: Date)
        /// The log is accepted and its timestamps count, though older lists do not have it yet.
        case qualified(since: Date)
        /// The log is accepted and its timestamps count.
        case usable(since: Date)
        /// The log takes no more certificates; its timestamps count.
        case readOnly(since: Date)
        /// The log is no longer accepted; its timestamps from before that instant may still count.
        case retired(since: Date)
        /// The log was refused; its timestamps do not count.
        case rejected(since: Date)
        /// The list has no state for the log; its timestamps do not count.
        case unknown
    }

    /// A former operator of the log.
    struct PreviousOperator: Hashable {
        let name: String
        /// The instant at which the operator stopped.
        let end: Date
    }

    /// The name of the log in the list, not escaped for printing; where the list has none, ``id`` in base64.
    public let name: String
    /// SHA-256 of the log's key, 32 octets (RFC 6962 section 3.2).
    public let id: [UInt8]
    /// The current operator, by the name in the list.
    public let operatorName: String
    /// Whether its timestamps count, and since when.
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
