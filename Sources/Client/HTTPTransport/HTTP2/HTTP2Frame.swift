// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOHPACK

/// A stream's identifier (RFC 9113 section 5.1.1).
package typealias HTTP2StreamID = UInt32

/// A frame from a server whose head and length were checked (RFC 9113 section 6).
enum HTTP2Frame: Equatable {
    /// `size` is what flow control counts: the data and its padding (RFC 9113 section 6.9.1).
    case data(HTTP2StreamID, ByteBuffer, size: Int, endStream: Bool)
    /// A complete header block with its CONTINUATION frames.
    case headers(HTTP2StreamID, HPACKHeaders, endStream: Bool)
    case priority
    case reset(HTTP2StreamID, HTTP2ErrorCode)
    case settings(HTTP2Settings)
    case settingsAcknowledgement
    case ping(UInt64)
    case pingAcknowledgement
    case goAway(lastStreamID: HTTP2StreamID, GoAway)
    case windowUpdate(HTTP2StreamID, increment: Int)
    /// A part of a header block, or a frame of an unknown type, which is ignored (RFC 9113 section 5.5).
    case ignored

    /// The types that RFC 9113 section 6 defines.
    enum Kind {
        static let data: UInt8 = 0x0
        static let headers: UInt8 = 0x1
        static let priority: UInt8 = 0x2
        static let reset: UInt8 = 0x3
        static let settings: UInt8 = 0x4
        static let pushPromise: UInt8 = 0x5
        static let ping: UInt8 = 0x6
        static let goAway: UInt8 = 0x7
        static let windowUpdate: UInt8 = 0x8
        static let continuation: UInt8 = 0x9
    }

    /// The flags that RFC 9113 section 6 defines.
    struct Flags: OptionSet {
        let rawValue: UInt8

        static let endStream = Self(rawValue: 0x1)
        static let acknowledgement = Self(rawValue: 0x1)
        static let endHeaders = Self(rawValue: 0x4)
        static let padded = Self(rawValue: 0x8)
        static let priority = Self(rawValue: 0x20)
    }

    /// The size of a frame's head, in bytes.
    static let headSize = 9

    /// The largest payload that a frame may have unless its receiver allows more, in bytes (RFC 9113 section 6.5.2).
    static let defaultMaxSize = 16_384

    /// The largest flow-control window, in bytes (RFC 9113 section 6.9.1).
    static let maxWindow = 0x7fff_ffff

    /// The largest identifier of a stream, and the mask that removes the reserved bit.
    static let maxStreamID: HTTP2StreamID = 0x7fff_ffff
}
