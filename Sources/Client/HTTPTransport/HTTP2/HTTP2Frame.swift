// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOHPACK

/// A stream's identifier (RFC 9113 section 5.1.1).
package typealias HTTP2StreamID = UInt32

/// A frame from the server, with a checked header and length (RFC 9113 section 6).
enum HTTP2Frame: Equatable {
    /// A DATA frame; `size` is the flow-controlled length, including padding (RFC 9113 section 6.9.1).
    case data(HTTP2StreamID, ByteBuffer, size: Int, endStream: Bool)
    /// A complete header block, including its CONTINUATION frames.
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

    /// The frame types of RFC 9113 section 6.
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

    /// The frame flags of RFC 9113 section 6.
    struct Flags: OptionSet {
        let rawValue: UInt8

        static let endStream = Self(rawValue: 0x1)
        static let acknowledgement = Self(rawValue: 0x1)
        static let endHeaders = Self(rawValue: 0x4)
        static let padded = Self(rawValue: 0x8)
        static let priority = Self(rawValue: 0x20)
    }

    /// The size of a frame header, in bytes.
    static let headSize = 9

    /// The maximum payload of a frame unless its receiver allows more, in bytes (RFC 9113 section 6.5.2).
    static let defaultMaxSize = 16_384

    /// The largest stream identifier, and the mask that removes the reserved bit.
    static let maxStreamID: HTTP2StreamID = 0x7fff_ffff
}

/// The server's settings that apply to a client (RFC 9113 section 6.5.2); each is `nil` if the frame does not set it.
struct HTTP2Settings: Equatable {
    /// The size of the header table, in bytes.
    private(set) var headerTableSize: Int?
    /// The minimum header table size in the frame, in bytes;
    /// the encoder has to shrink to it first (RFC 7541 section 4.2).
    private(set) var minimumHeaderTableSize: Int?
    private(set) var maxConcurrentStreams: Int?
    /// The initial window size of streams, in bytes.
    private(set) var initialWindowSize: Int?
    /// The maximum payload of a frame, in bytes.
    private(set) var maxFrameSize: Int?

    /// Applies one setting; unknown settings are ignored.
    ///
    /// - Throws: A connection error for an invalid value.
    mutating func set(_ identifier: UInt16, to value: UInt32) throws(HTTP2ConnectionError) {
        let value = Int(value)
        switch identifier {
        case 0x1:
            headerTableSize = value
            minimumHeaderTableSize = min(minimumHeaderTableSize ?? value, value)
        case 0x2:
            // Only a client may enable server push.
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

/// The limits for frames that are not part of a response, which protect against floods.
struct HTTP2FloodGuard {
    /// The maximum number of consecutive frames without progress.
    ///
    /// A server that sends a PING every few seconds needs hours to reach it, and a flooding server less than a second.
    static let frameLimit = 10_000

    /// The maximum number of bytes in consecutive frames without progress.
    static let byteLimit = 8 << 20

    /// The maximum number of queued acknowledgement bytes for a server that does not read.
    static let acknowledgementLimit = 256 * 1024

    /// The maximum number of DATA bytes on streams that the server itself has ended.
    private static let lateDataSlack = 65_535

    private var frames = 0
    private var bytes = 0
    private var acknowledgements = 0
    private var lateData = Self.lateDataSlack

    /// Notes progress: a part of a request was sent, or a part of a response has arrived.
    mutating func noteProgress() { (frames, bytes) = (0, 0) }

    /// Counts a frame that is not part of a response.
    mutating func noteSurplus(_ size: Int) throws(HTTP2ConnectionError) {
        frames += 1
        bytes += size + HTTP2Frame.headSize
        guard frames <= Self.frameLimit, bytes <= Self.byteLimit else { throw .violation(.enhanceYourCalm) }
    }

    /// Counts an acknowledgement.
    mutating func noteAnswer(_ size: Int) throws(HTTP2ConnectionError) {
        acknowledgements += size + HTTP2Frame.headSize
        guard acknowledgements <= Self.acknowledgementLimit else { throw .violation(.enhanceYourCalm) }
    }

    /// Notes that the server reads the written bytes.
    mutating func noteWritten() { acknowledgements = 0 }

    /// Allows DATA on a stream that was reset, up to the rest of its window.
    mutating func expectLateData(_ size: Int) { lateData += size }

    /// Counts DATA for a stream that has ended.
    mutating func noteLateData(_ size: Int) throws(HTTP2ConnectionError) {
        lateData -= size
        guard lateData >= 0 else { throw .violation(.flowControlError) }
    }
}
