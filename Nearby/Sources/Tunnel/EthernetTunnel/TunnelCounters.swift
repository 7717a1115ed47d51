// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The numbers of frames and bytes that passed an interface of a tunnel since its start.
public struct TunnelCounters: Hashable, Sendable, Codable {
    /// The number of frames sent into the tunnel; a frame that the kernel passes for segmentation counts as its
    /// segments.
    public var sentFrames = 0
    /// The number of bytes in the sent frames.
    public var sentBytes = 0
    /// The number of frames received from the tunnel.
    public var receivedFrames = 0
    /// The number of bytes in the received frames.
    public var receivedBytes = 0
    /// The number of frames that were fragmented, because they exceed the path MTU.
    public var fragmentedFrames = 0
    /// The number of packets from the tunnel that were not valid EtherIP.
    public var malformedPackets = 0
    /// The number of datagrams that were not authentic, replayed, or without a session.
    public var refusedDatagrams = 0
    /// The number of frames that could not be forwarded.
    public var droppedFrames = 0
}
