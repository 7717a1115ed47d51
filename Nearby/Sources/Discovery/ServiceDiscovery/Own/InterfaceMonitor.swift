// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reports possible changes of interfaces and addresses, from netlink on Linux, and by polling every few seconds
/// elsewhere.
struct InterfaceMonitor: Sendable {
    private let channel: (any Channel)?
    private let poll: RepeatedTask?

    static func start(
        on group: any EventLoopGroup, changed: @escaping @Sendable () -> Void
    ) async -> InterfaceMonitor {
        #if os(Linux)
            if let channel = try? await netlink(on: group, changed: changed) {
                return InterfaceMonitor(channel: channel, poll: nil)
            }
        #endif
        let poll = group.next().scheduleRepeatedTask(initialDelay: .seconds(5), delay: .seconds(5)) { _ in changed() }
        return InterfaceMonitor(channel: nil, poll: poll)
    }

    func stop() async {
        poll?.cancel()
        try? await channel?.close().get()
    }

    #if os(Linux)
        private static func netlink(
            on group: any EventLoopGroup, changed: @escaping @Sendable () -> Void
        ) async throws -> any Channel {
            let (route, groups) = (CInt(0), UInt32(0x1 | 0x10 | 0x100))
            let descriptor = socket(AF_NETLINK, CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue), route)
            guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
            // struct sockaddr_nl: the family, padding, a port that the kernel chooses, and the groups RTMGRP_LINK,
            // RTMGRP_IPV4_IFADDR and RTMGRP_IPV6_IFADDR.
            let address = (UInt16(AF_NETLINK), UInt16(0), UInt32(0), groups)
            let isBound = withUnsafeBytes(of: address) { bytes in
                bytes.baseAddress.map {
                    bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
                } ?? false
            }
            do {
                guard isBound else { throw IOError(errnoCode: errno, reason: "bind") }
                return try await NIOPipeBootstrap(group: group)
                    .channelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(ChangeHandler(changed: changed))
                        }
                    }
                    .takingOwnershipOfDescriptor(input: descriptor).get()
            } catch {
                close(descriptor)
                throw error
            }
        }
    #endif
}

/// Reports a change for every netlink message, without reading its content.
private final class ChangeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let changed: @Sendable () -> Void

    init(changed: @escaping @Sendable () -> Void) { self.changed = changed }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { changed() }
}
