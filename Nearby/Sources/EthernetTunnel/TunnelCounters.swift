// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How much went through a tunnel.
public struct TunnelCounters: Hashable, Sendable, Codable {
    /// Frames from this side into the tunnel; one that the kernel hands over to be cut counts as its parts.
    public var sentFrames = 0
    /// The bytes of those frames.
    public var sentBytes = 0
    /// Frames out of the tunnel.
    public var receivedFrames = 0
    /// The bytes of those frames.
    public var receivedBytes = 0
    /// Frames that were cut into fragments, because the path takes no packets of their length.
    public var fragmentedFrames = 0
    /// Packets out of the tunnel that were no EtherIP.
    public var malformedPackets = 0
    /// Datagrams that were not authentic, repeated or of no session.
    public var refusedDatagrams = 0
    /// Frames that could not be passed on.
    public var droppedFrames = 0
}
