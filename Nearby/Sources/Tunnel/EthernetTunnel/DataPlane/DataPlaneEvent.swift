// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    /// A command for a data plane.
    enum DataPlaneCommand: Sendable {
        case addPort(Int, TAPInterface, ownAddresses: Set<UInt64>)
        case removePort(Int)
        case addGeneration(Generation.Identifier, GenerationSettings, port: Int)
        case removeGeneration(Generation.Identifier)
        case reportCounters
        case stop
    }

    /// An event of a data plane.
    enum DataPlaneEvent: Sendable {
        /// The tunnel is established in both directions. Holds the peer's address and the limits of the path.
        case established(Generation.Identifier, at: String, PathLimits)
        /// The address of the peer changed.
        case moved(Generation.Identifier, to: String)
        case pathChanged(Generation.Identifier, PathLimits, by: PathEvidence)
        /// The peer has not responded for 90 s.
        case unanswered(Generation.Identifier)
        /// The peer's public key is invalid.
        case refused(Generation.Identifier)
        /// A frame from the host with this MAC address loops.
        case looped(port: Int, address: UInt64)
        /// The counters by port, and the number of datagrams without a matching port.
        case counters([Int: TunnelCounters], refused: Int)
        case stopped
    }
#endif
