// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import MulticastDNS

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// NIO has a module with the same declarations as the system's, so no file that imports NIO can use members of the
// system's address types.
extension IPAddress {
    init?(_ address: sockaddr_in) { self.init(bytes: withUnsafeBytes(of: address.sin_addr, Array.init)) }

    init?(_ address: sockaddr_in6) { self.init(bytes: withUnsafeBytes(of: address.sin6_addr, Array.init)) }

    func systemAddress4(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes.prefix(4)) }
        return address
    }

    /// Returns the socket address; a link-local or multicast address includes the interface as its scope.
    func systemAddress6(port: UInt16, interface: Int) -> sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        let isLocal = bytes[0] == 0xFF || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        address.sin6_scope_id = isLocal ? UInt32(interface) : 0
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes.prefix(16)) }
        return address
    }
}

extension MulticastDNS {
    /// Returns whether another process also uses the port, so that unicast answers may reach that process instead.
    static func isPortShared() -> Bool {
        #if os(Linux)
            let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_DGRAM, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = MulticastDNS.port.bigEndian
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) != 0 && errno == EADDRINUSE
            }
        }
    }
}
