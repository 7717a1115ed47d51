// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// A ClientHello (RFC 8446 section 4.1.2), reduced to the parts that can refer to an earlier session.
struct ClientHello {
    private enum Extension {
        static let sessionTicket: UInt16 = 35
        static let preSharedKey: UInt16 = 41
        static let earlyData: UInt16 = 42
        static let supportedVersions: UInt16 = 43
    }

    private var sessionLength = 0
    private var extensions: [UInt16: [UInt8]] = [:]

    /// Reads the first record of a connection, or returns `nil` if it is not a complete ClientHello.
    init?(_ bytes: [UInt8]) {
        var buffer = ByteBuffer(bytes: bytes)
        guard buffer.readInteger(as: UInt8.self) == 22, buffer.readSlice(length: 2) != nil,
            var hello = buffer.readLengthPrefixedSlice(as: UInt16.self),
            hello.readInteger(as: UInt8.self) == 1, hello.readSlice(length: 3 + 2 + 32) != nil,
            let session = hello.readLengthPrefixedSlice(as: UInt8.self),
            hello.readLengthPrefixedSlice(as: UInt16.self) != nil, hello.readLengthPrefixedSlice(as: UInt8.self) != nil,
            var listed = hello.readLengthPrefixedSlice(as: UInt16.self)
        else { return nil }
        sessionLength = session.readableBytes
        while let type = listed.readInteger(as: UInt16.self) {
            guard let contents = listed.readLengthPrefixedSlice(as: UInt16.self) else { return nil }
            extensions[type] = Array(contents.readableBytesView)
        }
    }

    /// Whether the client offers a ticket or session ID of TLS 1.2 or a pre-shared key of TLS 1.3.
    ///
    /// A TLS 1.3 client sends a random session ID for compatibility with middleboxes, which does not count.
    var resumes: Bool {
        let offersTLS13 = extensions[Extension.supportedVersions]?.dropFirst().contains(4) == true
        return extensions[Extension.sessionTicket]?.isEmpty == false || extensions[Extension.preSharedKey] != nil
            || sessionLength > 0 && !offersTLS13
    }

    /// Whether the client announces early data, which it would send before the server's first message.
    var announcesEarlyData: Bool { extensions[Extension.earlyData] != nil }

    var offersResumption: Bool { resumes || announcesEarlyData }
}
