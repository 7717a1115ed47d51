// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc
    import WireGuardProtocol

    /// The socket of a data plane.
    final class DatagramSocket: Sendable {
        let descriptor: Int32
        /// Whether this is an IPv6 socket, which represents IPv4 addresses as IPv4-mapped addresses.
        let isIPv6: Bool
        /// Whether the kernel segments and coalesces datagrams of equal length (UDP_SEGMENT, UDP_GRO).
        let hasOffloads: Bool
        let port: UInt16

        /// Opens a UDP socket on all local addresses, for both IP versions if the system supports both.
        ///
        /// - Parameter port: The port; with 0, the system chooses one.
        /// - Returns: The bound socket.
        /// - Throws: ``TunnelError``.
        static func udp(port: UInt16) throws(TunnelError) -> DatagramSocket {
            do throws(TunnelError) {
                return try DatagramSocket(udp: AF_INET6, port: port)
            } catch .system {
                // IPv6 is disabled.
                return try DatagramSocket(udp: AF_INET, port: port)
            }
        }

        private init(udp family: Int32, port: UInt16) throws(TunnelError) {
            descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { throw .lastSystemCall("open a UDP socket") }
            isIPv6 = family == AF_INET6
            var (batches, only): (Int32, Int32) = (0, 0)
            if isIPv6 {
                setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, socklen_t(MemoryLayout<Int32>.size))
            }
            let isOpen =
                tunnel_udp_prepare(descriptor, family, &batches) == 0
                && Self.bind(descriptor, isIPv6: isIPv6, port: port)
            let code = errno
            hasOffloads = batches != 0
            self.port = Self.port(of: descriptor)
            guard isOpen else {
                close(descriptor)
                throw code == EADDRINUSE ? .portInUse(port) : .lastSystemCall("open UDP port \(port)", code)
            }
        }

        /// Opens a raw EtherIP socket, to which the kernel delivers every packet of the protocol.
        init(etherIPTo peer: WireGuardEndpoint) throws(TunnelError) {
            let family = peer.isIPv4 ? AF_INET : AF_INET6
            descriptor = socket(
                family, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), Int32(EtherIP.ipProtocol))
            (isIPv6, hasOffloads, port) = (!peer.isIPv4, false, 0)
            guard descriptor >= 0 else { throw .lastSystemCall("open a raw socket") }
            guard tunnel_raw_prepare(descriptor, family) == 0 else { throw .lastSystemCall("prepare a raw socket") }
        }

        deinit { close(descriptor) }

        /// Binds a socket to a port on all addresses.
        private static func bind(_ descriptor: Int32, isIPv6: Bool, port: UInt16) -> Bool {
            var storage = sockaddr_storage()
            let anywhere = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
            let length = tunnel_address_write(&storage, anywhere, anywhere.count, port, 0, 0)
            return withUnsafeBytes(of: storage) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { Glibc.bind(descriptor, $0.baseAddress, length) == 0 }
            }
        }

        private static func port(of descriptor: Int32) -> UInt16 {
            var (storage, length) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
            _ = withUnsafeMutableBytes(of: &storage) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress, &length) }
            }
            return WireGuardEndpoint(&storage)?.port ?? 0
        }
    }
#endif
