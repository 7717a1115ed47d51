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

    /// The largest identifier of a stream, and the mask that removes the reserved bit.
    static let maxStreamID: HTTP2StreamID = 0x7fff_ffff
}

/// The settings of a server that a client obeys (RFC 9113 section 6.5.2); `nil` where a frame does not set one.
struct HTTP2Settings: Equatable {
    /// In bytes.
    private(set) var headerTableSize: Int?
    /// The smallest that the frame sets, in bytes; the encoder has to shrink to it first (RFC 7541 section 4.2).
    private(set) var leastHeaderTableSize: Int?
    private(set) var maxConcurrentStreams: Int?
    /// In bytes.
    private(set) var initialWindowSize: Int?
    /// In bytes.
    private(set) var maxFrameSize: Int?

    /// Takes one setting; unknown settings are ignored.
    ///
    /// - Throws: The error of the connection that an invalid value is.
    mutating func set(_ identifier: UInt16, to value: UInt32) throws(HTTP2ConnectionError) {
        let value = Int(value)
        switch identifier {
        case 0x1:
            headerTableSize = value
            leastHeaderTableSize = min(leastHeaderTableSize ?? value, value)
        case 0x2:
            // Only a client may enable pushes.
            guard value == 0 else { throw .violation(.protocolError) }
        case 0x3:
            maxConcurrentStreams = value
        case 0x4:
            guard value <= HTTP2Window.largest else { throw .violation(.flowControlError) }
            initialWindowSize = value
        case 0x5:
            guard (HTTP2Frame.defaultMaxSize...0xff_ffff).contains(value) else { throw .violation(.protocolError) }
            maxFrameSize = value
        default:
            break
        }
    }
}

/// Bounds what a server sends that is no part of a response.
struct HTTP2FloodGuard {
    /// How many frames without progress may come in a row.
    ///
    /// A server that only asks every few seconds whether the client is there needs hours for them, and one that floods less
    /// than a second.
    static let frameLimit = 10_000

    /// How many bytes frames without progress may have in a row.
    static let byteLimit = 8 << 20

    /// How many bytes of acknowledgements may wait for a server that does not read.
    static let acknowledgementLimit = 256 * 1024

    /// How many bytes of DATA may come on a stream that the server itself has ended.
    private static let lateDataSlack = 65_535

    private var frames = 0
    private var bytes = 0
    private var acknowledgements = 0
    private var lateData = Self.lateDataSlack

    /// A part of a request was sent, or a part of a response has come.
    mutating func noteProgress() { (frames, bytes) = (0, 0) }

    /// A frame has come that is no part of a response.
    mutating func noteSurplus(_ size: Int) throws(HTTP2ConnectionError) {
        frames += 1
        bytes += size + HTTP2Frame.headSize
        guard frames <= Self.frameLimit, bytes <= Self.byteLimit else { throw .violation(.enhanceYourCalm) }
    }

    /// A frame is answered.
    mutating func noteAnswer(_ size: Int) throws(HTTP2ConnectionError) {
        acknowledgements += size + HTTP2Frame.headSize
        guard acknowledgements <= Self.acknowledgementLimit else { throw .violation(.enhanceYourCalm) }
    }

    /// The server takes what was written.
    mutating func noteDeparture() { acknowledgements = 0 }

    /// A stream was reset whose window still has so many bytes.
    mutating func expectLateData(_ size: Int) { lateData += size }

    /// DATA has come for a stream that has ended.
    mutating func noteLateData(_ size: Int) throws(HTTP2ConnectionError) {
        lateData -= size
        guard lateData >= 0 else { throw .violation(.flowControlError) }
    }
}
