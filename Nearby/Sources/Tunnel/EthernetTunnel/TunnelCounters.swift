// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The numbers of frames and bytes that went through an interface of a tunnel since its start.
public struct TunnelCounters: Hashable, Sendable, Codable {
    /// Frames from this side into the tunnel; one that the kernel passes to the tunnel to be segmented counts as its segments.
    public var sentFrames = 0
    /// The bytes of those frames.
    public var sentBytes = 0
    /// Frames from the tunnel to this side.
    public var receivedFrames = 0
    /// The bytes of those frames.
    public var receivedBytes = 0
    /// Frames that were cut into fragments, because the path takes no packets of their length.
    public var fragmentedFrames = 0
    /// Packets from the tunnel that were no EtherIP.
    public var malformedPackets = 0
    /// Datagrams that were not authentic, replayed, or of no session.
    public var refusedDatagrams = 0
    /// Frames that could not be passed on.
    public var droppedFrames = 0
}
