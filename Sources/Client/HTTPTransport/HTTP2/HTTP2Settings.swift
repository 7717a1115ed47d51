// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
            guard value <= HTTP2Frame.maxWindow else { throw .violation(.flowControlError) }
            initialWindowSize = value
        case 0x5:
            guard (HTTP2Frame.defaultMaxSize...0xff_ffff).contains(value) else { throw .violation(.protocolError) }
            maxFrameSize = value
        default:
            break
        }
    }
}
