// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
package import NIOCore

/// What became known of one connection, gathered while it is opened and asked when it fails.
package final class ConnectionRecord: Sendable {
    package struct Facts: Sendable {
        package var version: String?
        /// What was offered by ALPN (RFC 7301); `nil` without TLS.
        var offeredVersions: HTTPVersions?
        /// What ALPN agreed on (RFC 7301); `nil` where the server does not know it.
        var applicationProtocol: String?
        /// Whether the first byte that came is of no TLS record.
        var isNotTLS = false
        package var cipherSuite: UInt16?
        /// The address at the other end of the connection; `nil` where it is not known.
        package var peerAddress: SocketAddress?
        /// The issuers that the server named, still encoded; `nil` where they are not known.
        var acceptableIssuers: AcceptableIssuers?
        /// What the server asked an identity with; `nil` where it did not ask.
        package var identityRequest: IdentityRequest?
        /// Whether the server got an identity.
        var hasIdentity = false
        /// Whether the server asked for an identity and got none.
        package var isAnonymous: Bool { identityRequest != nil && !hasIdentity }
        /// Whether a response has come: from then on a lost connection is no answer to our certificate.
        package var hasServed = false
        /// The error that ended the connection between two exchanges.
        var lateFailure: (any Error)?
    }

    private let box = NIOLockedValueBox(Facts())

    package init() {}

    package var facts: Facts { box.withLockedValue { $0 } }

    /// Whether an error ended the connection between two exchanges.
    var hasFailed: Bool { box.withLockedValue { $0.lateFailure != nil } }

    func note(_ change: (inout Facts) -> Void) {
        box.withLockedValue(change)
    }
}
