// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import NIOConcurrencyHelpers

/// The chains that were presented last, read: a server presents the same on every connection.
///
/// No verdict is remembered: each handshake has the chain evaluated anew, only signatures that were found good are not
/// worked out again.
final class ChainCache: Sendable {
    struct Reading: Sendable {
        let chain: PresentedChain
        /// What ties answers to the leaf (RFC 5929 section 4).
        let channelBinding: ChannelBinding?

        /// - Parameter certificates: DER, leaf first; `nil` where the leaf cannot be read.
        init?(_ certificates: [[UInt8]]) {
            guard let leaf = certificates.first, let chain = PresentedChain(derEncoded: certificates) else {
                return nil
            }
            self.chain = chain
            channelBinding = .tlsServerEndPoint(of: leaf)
        }
    }

    private static let limit = 16
    /// Of one chain, in bytes; real ones have a few thousand.
    private static let sizeLimit = 1 << 15

    /// The latest last.
    private let known = NIOLockedValueBox<[(certificates: [[UInt8]], reading: Reading)]>([])

    var count: Int { known.withLockedValue { $0.count } }

    /// What a chain reads as.
    ///
    /// - Parameter certificates: DER, leaf first.
    /// - Returns: `nil` where the leaf cannot be read.
    func reading(of certificates: [[UInt8]]) -> Reading? {
        if let reading = remembered(certificates) { return reading }
        guard let reading = Reading(certificates) else { return nil }
        if certificates.reduce(0, { $0 + $1.count }) <= Self.sizeLimit {
            known.withLockedValue { known in
                if known.count >= Self.limit { known.removeFirst() }
                known.append((certificates, reading))
            }
        }
        return reading
    }

    /// What a chain was read as before; `nil` where it was not.
    func remembered(_ certificates: [[UInt8]]) -> Reading? {
        known.withLockedValue { known in
            guard let index = known.lastIndex(where: { $0.certificates == certificates }) else { return nil }
            if index < known.count - 1 { known.append(known.remove(at: index)) }
            return known.last?.reading
        }
    }
}
