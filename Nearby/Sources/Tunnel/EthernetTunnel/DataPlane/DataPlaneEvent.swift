// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    /// What a data plane is told.
    enum DataPlaneCommand: Sendable {
        case addPort(Int, TAPInterface, ownAddresses: Set<UInt64>)
        case removePort(Int)
        case addGeneration(Generation.Identifier, GenerationSettings, port: Int)
        case removeGeneration(Generation.Identifier)
        case reportCounters
        case stop
    }

    /// What a data plane tells.
    enum DataPlaneEvent: Sendable {
        /// Packets can be sent both ways; where the peer is, and what the path takes.
        case established(Generation.Identifier, at: String, PathLimits)
        /// The peer's address has changed.
        case moved(Generation.Identifier, to: String)
        case pathChanged(Generation.Identifier, PathLimits, by: PathEvidence)
        /// The peer did not answer for 90 s.
        case unanswered(Generation.Identifier)
        /// The peer's key cannot be used.
        case refused(Generation.Identifier)
        /// A frame of the host with this address goes round.
        case looped(port: Int, address: UInt64)
        /// By port, and the datagrams that belonged to none.
        case counters([Int: TunnelCounters], refused: Int)
        case stopped
    }
#endif
