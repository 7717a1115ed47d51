// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
