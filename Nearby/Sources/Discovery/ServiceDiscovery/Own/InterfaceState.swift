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

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An active interface with its usable addresses.
struct InterfaceState: Hashable {
    let interface: NetworkInterface
    var addresses: [InterfaceAddress] = []

    /// Returns the interfaces for multicast DNS: up, with a carrier and multicast support, except the loopback
    /// interface.
    static func current() -> [InterfaceState] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        let unusable = unusableAddresses()
        var states: [Int: InterfaceState] = [:]
        for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let entry, isUsable(UInt32(entry.pointee.ifa_flags)), let address = address(of: entry.pointee),
                !unusable.contains(address.address)
            else { continue }
            let index = Int(if_nametoindex(entry.pointee.ifa_name))
            guard index > 0 else { continue }
            let interface = NetworkInterface(index: index, name: String(cString: entry.pointee.ifa_name))
            states[index, default: InterfaceState(interface: interface)].addresses.append(address)
        }
        return states.values.map { state in
            var state = state
            state.addresses.sort { $0.address < $1.address }
            return state
        }
    }

    private static func isUsable(_ flags: UInt32) -> Bool {
        let needed = UInt32(truncatingIfNeeded: Int(IFF_UP) | Int(IFF_RUNNING) | Int(IFF_MULTICAST))
        let excluded = UInt32(truncatingIfNeeded: Int(IFF_LOOPBACK) | Int(IFF_POINTOPOINT))
        return flags & needed == needed && flags & excluded == 0
    }

    private static func address(of entry: ifaddrs) -> InterfaceAddress? {
        guard let address = bytes(of: entry.ifa_addr), let mask = bytes(of: entry.ifa_netmask) else { return nil }
        return IPAddress(bytes: address).map {
            InterfaceAddress($0, prefixLength: mask.reduce(0) { $0 + $1.nonzeroBitCount })
        }
    }

    private static func bytes(of pointer: UnsafeMutablePointer<sockaddr>?) -> [UInt8]? {
        guard let pointer else { return nil }
        switch CInt(pointer.pointee.sa_family) {
        case AF_INET:
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr, Array.init)
            }
        case AF_INET6:
            return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr, Array.init)
            }
        default: return nil
        }
    }

    /// Returns the IPv6 addresses that are tentative (duplicate address detection has not completed), failed or
    /// deprecated.
    ///
    /// Only Linux provides this in a file.
    private static func unusableAddresses() -> Set<IPAddress> {
        guard let text = try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8) else { return [] }
        // IFA_F_TENTATIVE, IFA_F_DADFAILED, IFA_F_DEPRECATED.
        let unusable = 0x40 | 0x08 | 0x20
        return Set(
            text.split(separator: "\n").compactMap { line in
                let fields = line.split(separator: " ")
                guard fields.count >= 6, let flags = Int(fields[4], radix: 16), flags & unusable != 0 else {
                    return nil
                }
                let digits = Array(fields[0])
                let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                    UInt8(String(digits[$0...$0 + 1]), radix: 16)
                }
                return IPAddress(bytes: bytes)
            })
    }
}
