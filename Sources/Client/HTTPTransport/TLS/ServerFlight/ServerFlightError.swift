// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a server's flight is read no further; the handshake goes on all the same.
enum ServerFlightError: Error {
    /// The very first byte is of no TLS record.
    case notTLS
    /// What came is malformed, out of order, too large or does not decrypt: NIOSSL will say what of it matters.
    case unreadable
}
