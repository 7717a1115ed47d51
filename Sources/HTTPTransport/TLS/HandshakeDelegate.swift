// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Identities

/// Answers the questions of one TLS handshake.
package protocol HandshakeDelegate: AnyObject, Sendable {
    /// Decides on a chain at once, where that takes no question and no input; the transport calls this on the event loop.
    ///
    /// - Parameter certificates: DER, leaf first.
    /// - Returns: Whether the chain is trusted; `false` leaves the decision to ``evaluateTrust(_:)``.
    func trustsImmediately(_ certificates: [[UInt8]]) -> Bool

    /// The handshake has gone on; the transport calls this in the task that opens the connection.
    func handshakeAdvanced()

    /// Decides on a chain.
    ///
    /// - Parameter certificates: DER, leaf first.
    /// - Throws: What ends the handshake, where the chain is not trusted.
    func evaluateTrust(_ certificates: [[UInt8]]) async throws

    /// Returns the identity to present; `nil` presents none.
    func identity(for request: IdentityRequest) async throws -> Identity?

    /// The peer has proved possession of its key.
    ///
    /// - Throws: What closes the connection all the same.
    func handshakeCompleted() async throws
}
