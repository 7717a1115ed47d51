// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// A handshake message (RFC 8446 section 4).
struct HandshakeMessage {
    /// The message types up to a CertificateRequest; any other type ends the observation.
    enum Kind: UInt8 {
        case serverHello = 2
        case encryptedExtensions = 8
        case certificate = 11
        case serverKeyExchange = 12
        case certificateRequest = 13
        case certificateStatus = 22
    }

    /// The type; `nil` if it is irrelevant here.
    let kind: Kind?
    let body: ArraySlice<UInt8>
}

/// A reader that assembles messages from record fragments; messages may share a record or span several (RFC 8446
/// section 5.1).
struct HandshakeReader {
    private static let headerLength = 4
    /// The maximum size that BoringSSL accepts from a server: `SSL_MAX_CERT_LIST_DEFAULT` of NIOSSL 2.37.6, in bytes.
    private static let maximumBody = 1024 * 100

    private var pending = ByteQueue()

    var isEmpty: Bool { pending.count == 0 }

    mutating func append(_ fragment: ArraySlice<UInt8>) {
        pending.append(fragment)
    }

    /// Reads the next message.
    ///
    /// - Returns: The message; `nil` if it is incomplete.
    mutating func next() throws(ServerFlightError) -> HandshakeMessage? {
        var reader = TLSReader(pending.front)
        guard let type = reader.integer(octets: 1), let length = reader.integer(octets: 3) else { return nil }
        guard length <= Self.maximumBody else { throw .unreadable }
        guard let message = pending.take(Self.headerLength + length) else { return nil }
        return HandshakeMessage(
            kind: UInt8(exactly: type).flatMap(HandshakeMessage.Kind.init), body: message.dropFirst(Self.headerLength))
    }
}
