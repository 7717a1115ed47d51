// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// What a client says first (RFC 8446 section 4.1.2), as far as it may tell of an earlier session.
struct ClientHello {
    private enum Extension {
        static let sessionTicket: UInt16 = 35
        static let preSharedKey: UInt16 = 41
        static let earlyData: UInt16 = 42
        static let supportedVersions: UInt16 = 43
    }

    private var sessionLength = 0
    private var extensions: [UInt16: [UInt8]] = [:]

    /// Reads the first record of a connection; `nil` where that is no whole ClientHello.
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

    /// A ticket or a session of TLS 1.2, or a key of TLS 1.3, whose clients make up a session to please middleboxes.
    var resumes: Bool {
        let offersTLS13 = extensions[Extension.supportedVersions]?.dropFirst().contains(4) == true
        return extensions[Extension.sessionTicket]?.isEmpty == false || extensions[Extension.preSharedKey] != nil
            || sessionLength > 0 && !offersTLS13
    }

    /// Whether something follows before the server has said anything.
    var announcesEarlyData: Bool { extensions[Extension.earlyData] != nil }

    var offersResumption: Bool { resumes || announcesEarlyData }
}
