// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The reason why reading a server's flight has ended; the handshake itself continues.
enum ServerFlightError: Error {
    /// The first byte does not begin a TLS record.
    case notTLS
    /// The input is malformed, out of order, too large or cannot be decrypted; NIOSSL reports the error if it matters.
    case unreadable
}
