// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// What a client says first (RFC 8446 section 4.1.2), as far as it may tell of an earlier session.
struct ClientHello {
    private enum Extension {
        static let sessionTicket: UInt16 = 35
        static let preSharedKey: UInt16 = 41
        static let earlyData: UInt16 = 42
    }

    private let extensions: [UInt16: ByteBuffer]

    /// Reads the first record of a connection; `nil` where that is no whole ClientHello.
    init?(_ bytes: [UInt8]) {
        var buffer = ByteBuffer(bytes: bytes)
        // The record's header, the message's, the version and the random value.
        guard buffer.readInteger(as: UInt8.self) == 22, buffer.readSlice(length: 4) != nil,
            buffer.readInteger(as: UInt8.self) == 1, buffer.readSlice(length: 3 + 2 + 32) != nil,
            buffer.readLengthPrefixedSlice(as: UInt8.self) != nil,
            buffer.readLengthPrefixedSlice(as: UInt16.self) != nil,
            buffer.readLengthPrefixedSlice(as: UInt8.self) != nil,
            var list = buffer.readLengthPrefixedSlice(as: UInt16.self)
        else { return nil }
        var extensions: [UInt16: ByteBuffer] = [:]
        while let type = list.readInteger(as: UInt16.self) {
            guard let content = list.readLengthPrefixedSlice(as: UInt16.self) else { return nil }
            extensions[type] = content
        }
        self.extensions = extensions
    }

    /// Whether it tells of an earlier session, by a ticket or by a key.
    var resumes: Bool {
        extensions[Extension.preSharedKey] != nil || (extensions[Extension.sessionTicket]?.readableBytes ?? 0) > 0
    }

    /// Whether something follows before the server has said anything.
    var announcesEarlyData: Bool { extensions[Extension.earlyData] != nil }
}
