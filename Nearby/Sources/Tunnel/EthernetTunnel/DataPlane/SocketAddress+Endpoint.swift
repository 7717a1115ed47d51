// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc
    import NIOCore
    import WireGuardProtocol

    /// A socket address in the form for system calls.
    struct RawAddress {
        var storage = sockaddr_storage()
        var length: socklen_t = 0

        /// Creates an empty address.
        init() {}

        /// Creates the address of a peer's endpoint.
        ///
        /// - Parameters:
        ///   - endpoint: The peer's endpoint.
        ///   - isMapped: Whether to represent an IPv4 address as an IPv4-mapped address, as IPv6 sockets require.
        init(_ endpoint: WireGuardEndpoint, isMapped: Bool) {
            length = endpoint.withAddress { bytes in
                tunnel_address_write(
                    &storage, bytes.baseAddress, bytes.count, endpoint.port, endpoint.scope, isMapped ? 1 : 0)
            }
        }
    }

    extension WireGuardEndpoint {
        /// Reads the sender address of a datagram; an IPv4-mapped address becomes an IPv4 address.
        init?(_ storage: UnsafePointer<sockaddr_storage>) {
            var (port, scope) = (UInt16(0), UInt32(0))
            let endpoint = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { bytes in
                let count = tunnel_address_read(storage, bytes.baseAddress, &port, &scope)
                return WireGuardEndpoint(bytes: UnsafeRawBufferPointer(bytes).part(0..<count), port: port, scope: scope)
            }
            guard let endpoint else { return nil }
            self = endpoint
        }

        /// Creates an endpoint from the address of a connection, with a different port.
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

        /// The kernel's path MTU to the peer, in bytes; `nil` if there is no route.
        var pathMTU: Int? {
            var address = RawAddress(self, isMapped: false)
            let mtu = tunnel_path_mtu(&address.storage, address.length)
            guard mtu > 0 else { return nil }
            // These are the minimum MTUs (RFC 791 section 3.1, RFC 8200 section 5), below which forged ICMP messages
            // cannot lower the path MTU.
            return max(Int(mtu), isIPv4 ? 576 : 1_280)
        }

        /// The size of the IP and UDP headers of a datagram to the peer, in bytes.
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
