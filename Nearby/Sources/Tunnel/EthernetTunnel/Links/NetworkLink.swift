// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc

    /// A network interface of this system, identified by name.
    struct NetworkLink: Hashable, Sendable {
        let name: String

        /// - Throws: ``TunnelError/malformedInterfaceName(_:)``.
        init(_ name: String) throws(TunnelError) {
            let isName =
                (1..<Int(TUNNEL_NAME_SIZE)).contains(name.utf8.count) && name != "." && name != ".."
                && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
            guard isName else { throw .malformedInterfaceName(name) }
            self.name = name
        }

        var exists: Bool { tunnel_link_index(name) > 0 }

        /// The MTU of the interface, in bytes.
        var mtu: Int {
            get throws(TunnelError) {
                let mtu = tunnel_link_mtu(name)
                guard mtu > 0 else { throw .noInterface(name) }
                return Int(mtu)
            }
        }

        func setMTU(_ mtu: Int) throws(TunnelError) {
            guard tunnel_link_set_mtu(name, Int32(clamping: mtu)) == 0 else {
                throw failure("set the MTU of \(name) to \(mtu)")
            }
        }

        func setUp() throws(TunnelError) {
            guard tunnel_link_set_up(name) == 0 else { throw failure("bring up \(name)") }
        }

        /// The MAC address in the lower 48 bits; `nil` if there is none.
        var address: UInt64? {
            var bytes: [UInt8] = Array(repeating: 0, count: 6)
            guard tunnel_link_address(name, &bytes) == 0 else { return nil }
            return bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }

        /// Whether the interface has an IPv4 address.
        var hasIPv4Address: Bool { tunnel_link_has_address(name) == 1 }

        /// Returns an error for the last system call's error code.
        private func failure(_ attempt: String) -> TunnelError {
            let code = errno
            return exists ? .lastSystemCall(attempt, code) : .noInterface(name)
        }
    }

    extension TunnelError {
        /// Returns an error for a system call's error code.
        static func lastSystemCall(_ attempt: String, _ code: Int32 = errno) -> Self {
            switch code {
            case EPERM, EACCES: .notPermitted(attempt)
            default: .system(attempt, String(cString: strerror(code)))
            }
        }
    }
#endif
