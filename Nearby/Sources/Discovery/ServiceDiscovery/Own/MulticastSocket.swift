// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import MulticastDNS
import NIOCore
import NIOPosix

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A packet received by a socket.
struct ReceivedPacket: Sendable {
    let bytes: [UInt8]
    let source: PacketSource
}

/// The socket of one link on the multicast DNS port, which it can share with other processes.
struct MulticastSocket: Sendable {
    private let channel: any Channel
    private let link: Link

    /// Opens the socket and joins the group.
    static func open(
        _ link: Link, on group: any EventLoopGroup, receive: @escaping @Sendable (ReceivedPacket) -> Void
    ) async throws -> MulticastSocket {
        let channel = try await DatagramBootstrap(group: group)
            .channelOption(.socketOption(.so_reuseaddr), value: 1)
            .channelOption(ChannelOptions.socket(SocketOptionLevel(SOL_SOCKET), SO_REUSEPORT), value: 1)
            .channelOption(.socketOption(.so_rcvbuf), value: 1 << 21)
            .channelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.maximumPacketLength)
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(PacketHandler(link: link, receive: receive))
                }.flatMap {
                    link.isIPv4
                        ? channel.eventLoop.makeSucceededVoidFuture()
                        : channel.setOption(
                            ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only), value: 1)
                }
            }
            .bind(host: link.isIPv4 ? "0.0.0.0" : "::", port: Int(MulticastDNS.port)).get()
        do {
            try await channel.setOption(ChannelOptions.receivePacketInfo, value: true).get()
            guard let options = channel as? any SocketOptionProvider else { throw ChannelError.operationUnsupported }
            if link.isIPv4 { try await join4(options, link) } else { try await join6(options, link) }
            return MulticastSocket(channel: channel, link: link)
        } catch {
            try? await channel.close().get()
            throw error
        }
    }

    private static let maximumPacketLength = 9216

    private static func join4(_ options: any SocketOptionProvider, _ link: Link) async throws {
        let level = SocketOptionLevel(IPPROTO_IP)
        var request = ip_mreqn()
        request.imr_ifindex = CInt(link.interface)
        withUnsafeMutableBytes(of: &request.imr_multiaddr) { $0.copyBytes(from: MulticastDNS.group4?.bytes ?? []) }
        func set(_ name: CInt, _ value: some Sendable) async throws {
            try await options.unsafeSetSocketOption(level: level, name: SocketOptionName(name), value: value).get()
        }
        try await set(CInt(IP_ADD_MEMBERSHIP), request)
        try await set(CInt(IP_MULTICAST_IF), request)
        try await set(CInt(IP_MULTICAST_TTL), CUnsignedChar(255))
        try await set(CInt(IP_TTL), CInt(255))
        try await set(CInt(IP_MULTICAST_LOOP), CUnsignedChar(1))
        #if os(Linux)
            // Receive only packets that arrive on this socket's interface.
            try await set(CInt(IP_MULTICAST_ALL), CInt(0))
        #endif
    }

    private static func join6(_ options: any SocketOptionProvider, _ link: Link) async throws {
        let level = SocketOptionLevel(IPPROTO_IPV6)
        var request = ipv6_mreq()
        request.ipv6mr_interface = numericCast(link.interface)
        withUnsafeMutableBytes(of: &request.ipv6mr_multiaddr) { $0.copyBytes(from: MulticastDNS.group6?.bytes ?? []) }
        func set(_ name: CInt, _ value: some Sendable) async throws {
            try await options.unsafeSetSocketOption(level: level, name: SocketOptionName(name), value: value).get()
        }
        try await set(CInt(IPV6_JOIN_GROUP), request)
        try await set(CInt(IPV6_MULTICAST_IF), CInt(link.interface))
        try await set(CInt(IPV6_MULTICAST_HOPS), CInt(255))
        try await set(CInt(IPV6_UNICAST_HOPS), CInt(255))
        try await set(CInt(IPV6_MULTICAST_LOOP), CInt(1))
    }

    /// Sends a message; a failure to send counts as packet loss.
    func send(_ message: OutgoingMessage) {
        guard let address = address(of: message.destination) else { return }
        let envelope = AddressedEnvelope(remoteAddress: address, data: ByteBuffer(bytes: message.bytes))
        channel.writeAndFlush(envelope, promise: nil)
    }

    /// Closes the socket after all pending messages were sent.
    func close() async { try? await channel.close().get() }

    private func address(of destination: Destination) -> SocketAddress? {
        switch destination {
        case .multicast:
            let group = link.isIPv4 ? MulticastDNS.group4 : MulticastDNS.group6
            return group.map { SocketAddress($0, port: MulticastDNS.port, interface: link.interface) }
        case .unicast(let endpoint):
            return SocketAddress(endpoint.address, port: endpoint.port, interface: link.interface)
        }
    }
}

/// Passes on the packets of a socket, each with the link on which it arrived.
private final class PacketHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let link: Link
    private let receive: @Sendable (ReceivedPacket) -> Void

    init(link: Link, receive: @escaping @Sendable (ReceivedPacket) -> Void) {
        (self.link, self.receive) = (link, receive)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard let packetInfo = envelope.metadata?.packetInfo, let port = envelope.remoteAddress.port,
            let sender = IPAddress(envelope.remoteAddress), let receiver = IPAddress(packetInfo.destinationAddress)
        else { return }
        let isMulticast = receiver == MulticastDNS.group4 || receiver == MulticastDNS.group6
        // Linux delivers a packet for the IPv6 group to the sockets of all interfaces.
        guard !isMulticast || packetInfo.interfaceIndex == link.interface else { return }
        let arrival = Link(interface: packetInfo.interfaceIndex, isIPv4: link.isIPv4)
        let source = PacketSource(
            Endpoint(sender, port: UInt16(truncatingIfNeeded: port)), on: arrival, isMulticast: isMulticast)
        receive(ReceivedPacket(bytes: Array(envelope.data.readableBytesView), source: source))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An interface without a route, or a rejected packet, does not affect later packets.
    }
}

extension IPAddress {
    fileprivate init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address): self.init(address.address)
        case .v6(let address): self.init(address.address)
        case .unixDomainSocket: return nil
        }
    }
}

extension SocketAddress {
    fileprivate init(_ address: IPAddress, port: UInt16, interface: Int) {
        if address.isIPv4 {
            self.init(address.systemAddress4(port: port), host: "")
        } else {
            self.init(address.systemAddress6(port: port, interface: interface), host: "")
        }
    }
}
