// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import NIOConcurrencyHelpers

/// A cache of the last parsed chains, because a server presents the same chain on every connection.
///
/// No verdict is cached: each handshake evaluates the chain again; only signatures that were already verified are not
/// verified again.
final class ChainCache: Sendable {
    struct Reading: Sendable {
        let chain: PresentedChain
        /// The channel binding to the leaf certificate (RFC 5929 section 4).
        let channelBinding: ChannelBinding?

        /// Parses a chain.
        ///
        /// - Parameter certificates: The certificates in DER, leaf first; the result is `nil` if there are none.
        init?(_ certificates: [[UInt8]]) {
            guard let leaf = certificates.first, let chain = PresentedChain(derEncoded: certificates) else {
                return nil
            }
            self.chain = chain
            channelBinding = .tlsServerEndPoint(of: leaf)
        }
    }

    private static let limit = 16
    /// The maximum size of a cached chain, in bytes.
    ///
    /// Real chains have a few thousand bytes.
    private static let sizeLimit = 1 << 15

    /// The cached chains, the latest last.
    private let known = NIOLockedValueBox<[(certificates: [[UInt8]], reading: Reading)]>([])

    var count: Int { known.withLockedValue { $0.count } }

    /// Returns the parsed chain, from the cache if possible.
    ///
    /// - Parameter certificates: The certificates in DER, leaf first.
    /// - Returns: `nil` if there are none.
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

    /// Returns the parsed chain from the cache; `nil` if the cache does not contain it.
    func remembered(_ certificates: [[UInt8]]) -> Reading? {
        known.withLockedValue { known in
            guard let index = known.lastIndex(where: { $0.certificates == certificates }) else { return nil }
            if index < known.count - 1 { known.append(known.remove(at: index)) }
            return known.last?.reading
        }
    }
}
