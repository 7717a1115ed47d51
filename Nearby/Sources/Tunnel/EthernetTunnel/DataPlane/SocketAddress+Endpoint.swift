// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc
    import NIOCore
    import WireGuardProtocol

    /// An address as the system's calls have it.
    struct RawAddress {
        var storage = sockaddr_storage()
        var length: socklen_t = 0

        /// No address.
        init() {}

        /// The address of a peer's socket.
        ///
        /// - Parameters:
        ///   - endpoint: The peer's socket.
        ///   - isMapped: Whether an IPv4 address is written as one of IPv6, which sockets of IPv6 want.
        init(_ endpoint: WireGuardEndpoint, isMapped: Bool) {
            length = endpoint.withAddress { bytes in
                tunnel_address_write(
                    &storage, bytes.baseAddress, bytes.count, endpoint.port, endpoint.scope, isMapped ? 1 : 0)
            }
        }
    }

    extension WireGuardEndpoint {
        /// Reads the address of a datagram's sender; an IPv4 address written as one of IPv6 is one of IPv4.
        init?(_ storage: UnsafePointer<sockaddr_storage>) {
            var (port, scope) = (UInt16(0), UInt32(0))
            let endpoint = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { bytes in
                let count = tunnel_address_read(storage, bytes.baseAddress, &port, &scope)
                return WireGuardEndpoint(bytes: UnsafeRawBufferPointer(bytes).part(0..<count), port: port, scope: scope)
            }
            guard let endpoint else { return nil }
            self = endpoint
        }

        /// The address of a connection, with another port.
        init?(_ address: SocketAddress, port: UInt16) {
            let endpoint: WireGuardEndpoint? = address.withSockAddr { pointer, size in
                var storage = sockaddr_storage()
                withUnsafeMutableBytes(of: &storage) {
                    $0.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: min(size, $0.count)))
                }
                return WireGuardEndpoint(&storage)
            }
            guard let endpoint else { return nil }
            self.init(address: endpoint.address, port: port, scope: endpoint.scope)
        }

        /// The greatest IP packet that the kernel believes to reach the peer, in bytes; `nil` where there is no route.
        var pathMTU: Int? {
            var address = RawAddress(self, isMapped: false)
            let mtu = tunnel_path_mtu(&address.storage, address.length)
            guard mtu > 0 else { return nil }
            // No path is narrower (RFC 791 section 3.1, RFC 8200 section 5); forged ICMP messages cannot make it so.
            return max(Int(mtu), isIPv4 ? 576 : 1_280)
        }

        /// The bytes of the IP and UDP headers of a datagram to the peer.
        var headerSize: Int { isIPv4 ? 28 : 48 }

        /// The address and port as text, such as `192.0.2.1:51820` or `[2001:db8::1]:51820`.
        var text: String {
            var (bytes, buffer) = (address, [CChar](repeating: 0, count: 64))
            guard inet_ntop(isIPv4 ? AF_INET : AF_INET6, &bytes, &buffer, 64) != nil else { return "?" }
            let host = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return isIPv4 ? "\(host):\(port)" : "[\(host)]:\(port)"
        }
    }
#endif
