// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import NIOConcurrencyHelpers
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What became known of one connection, gathered while it is opened and asked when it fails.
final class ConnectionRecord: Sendable {
    struct Facts: Sendable {
        var version: String?
        /// What was offered by ALPN (RFC 7301); `nil` without TLS.
        var offeredVersions: Session.HTTPVersions?
        /// What ALPN agreed on (RFC 7301); `nil` where the server does not know it.
        var applicationProtocol: String?
        /// Whether the first byte that came is of no TLS record.
        var isNotTLS = false
        var cipherSuite: UInt16?
        var chain: PresentedChain?
        /// What the chain's leaf ties answers to.
        var channelBinding: ChannelBinding?
        var verdict: Verdict?
        /// The address at the other end of the connection; `nil` where it is not known.
        var peerAddress: SocketAddress?
        /// Whether the verdict was made on the event loop, and was not reported yet.
        var isTrustUnreported = false
        /// When what the verdict says of revocation is out of date.
        var verdictEnd: Date?
        /// The credential by which a distrusted chain was accepted.
        var acceptedTrust: Credential?
        /// The issuers that the server named, still encoded; `nil` where they are not known.
        var acceptableIssuers: AcceptableIssuers?
        /// What the server asked an identity with; `nil` where it did not ask.
        var certificateRequest: CertificateRequest?
        var identity: Credential?
        /// Whether the server asked for an identity and got none.
        var isAnonymous: Bool { certificateRequest != nil && identity == nil }
        /// Whether a response has come: from then on a lost connection is no answer to our certificate.
        var hasServed = false
        /// The error that ended the connection between two exchanges.
        var lateFailure: (any Error)?
    }

    private let box = NIOLockedValueBox(Facts())

    var facts: Facts { box.withLockedValue { $0 } }

    /// Whether an error ended the connection between two exchanges.
    var hasFailed: Bool { box.withLockedValue { $0.lateFailure != nil } }

    func note(_ change: (inout Facts) -> Void) {
        box.withLockedValue(change)
    }
}
