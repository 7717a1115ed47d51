// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import NIOConcurrencyHelpers
package import NIOCore
package import TLSTransport

/// The facts of one connection, collected while it is opened, and used for errors and for the user.
package final class PeerRecord: Sendable {
    /// The known facts of the connection.
    package struct Facts: Sendable {
        /// The properties of the TLS connection; `nil` without TLS, and until the server presents its certificates.
        package var tls: TLSConnectionFacts?
        /// Whether the TLS handshake is complete.
        package var isHandshakeComplete = false
        /// The settings of the last TLS handshake; `nil` without TLS.
        package var tlsSettings: TLSClientSettings?
        /// The HTTP versions offered by ALPN (RFC 7301); `nil` without TLS.
        var offeredVersions: HTTPVersions?
        /// The peer's address; `nil` if it is unknown.
        package var peerAddress: SocketAddress?
        /// The server's last request for an identity; `nil` if it sent none.
        package var identityRequest: TLSIdentityRequest?
        /// The identity that was presented in the handshake, or in that of the resumed session; `nil` for none.
        var identity: PresentedIdentity?
        /// Whether the server is trusted by its certificates alone, so that its sessions may be resumed.
        fileprivate(set) var isTrusted = false
        /// Whether an identity was sent to the server.
        var hasIdentity = false
        /// Whether the server requested an identity and received none.
        package var isAnonymous: Bool { identityRequest != nil && !hasIdentity }
        /// Whether a response has arrived since the last request for an identity.
        ///
        /// After that, a lost connection is not a reaction to the client's certificate.
        package var hasServed = false
        /// The server's reason for ending the HTTP/2 connection; `nil` if it has sent no GOAWAY.
        var goAway: GoAway?
        /// The error that ended the connection between two exchanges, or ``TransportError/poolClosed`` if the pool ended
        /// it.
        var lateFailure: (any Error)?
        /// Whether the pool ended the connection, with its running exchanges.
        var isAborted: Bool { lateFailure as? TransportError == .poolClosed }
    }

    private let box = NIOLockedValueBox(Facts())

    package init() {}

    /// A snapshot of the facts.
    package var facts: Facts { box.withLockedValue { $0 } }

    /// Whether an error ended the connection between two exchanges, or the pool ended it.
    var hasFailed: Bool { box.withLockedValue { $0.lateFailure != nil } }

    func note(_ change: (inout Facts) -> Void) {
        box.withLockedValue(change)
    }

    /// Records whether the server is trusted by its certificates alone.
    package func noteTrust(_ isTrusted: Bool) { note { $0.isTrusted = isTrusted } }
}
