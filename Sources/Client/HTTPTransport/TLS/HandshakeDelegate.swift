// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Identities

/// Answers the questions of one TLS handshake.
package protocol HandshakeDelegate: AnyObject, Sendable {
    /// Decides on a chain at once, where that needs no handler and no I/O. The transport calls this on the event loop.
    ///
    /// - Parameter certificates: The certificates in DER, leaf first.
    /// - Returns: Whether the chain is trusted; `false` leaves the decision to ``evaluateTrust(_:)``.
    func trustsImmediately(_ certificates: [[UInt8]]) -> Bool

    /// The handshake continues. The transport calls this in the task that opens the connection.
    func handshakeAdvanced()

    /// Decides on a chain.
    ///
    /// - Parameter certificates: The certificates in DER, leaf first.
    /// - Throws: An error that ends the handshake, where the chain is not trusted.
    func evaluateTrust(_ certificates: [[UInt8]]) async throws

    /// Returns the identity to present; `nil` presents none.
    ///
    /// - Throws: An error that ends the handshake.
    func identity(for request: IdentityRequest) async throws -> Identity?

    /// The peer has proved possession of its key.
    ///
    /// - Throws: An error that closes the connection all the same.
    func handshakeCompleted() async throws
}
