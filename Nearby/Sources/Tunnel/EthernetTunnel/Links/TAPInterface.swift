// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc

    /// A virtual Ethernet interface whose frames this process reads and writes.
    ///
    /// The kernel removes it when its last descriptor is closed, even if the process is killed.
    final class TAPInterface: Sendable {
        let link: NetworkLink
        let descriptor: Int32
        /// Whether the kernel and this process exchange frames with several segments.
        let hasOffloads: Bool

        /// Creates an interface and brings it up.
        ///
        /// - Parameters:
        ///   - name: The name; `%d` is replaced by a number that the kernel chooses.
        ///   - mtu: The MTU of the interface, in bytes.
        /// - Throws: ``TunnelError``.
        init(name: String, mtu: Int) throws(TunnelError) {
            _ = try NetworkLink(name)
            var bytes = name.utf8.map(CChar.init(bitPattern:))
            bytes += repeatElement(0, count: Int(TUNNEL_NAME_SIZE) - bytes.count)
            var offloads: Int32 = 0
            descriptor = tunnel_tap_open(&bytes, &offloads)
            guard descriptor >= 0 else {
                switch errno {
                case ENOENT, ENODEV, ENXIO: throw .noTunDevice
                default: throw .lastSystemCall("make the TAP interface \(name)")
                }
            }
            hasOffloads = offloads != 0
            do throws(TunnelError) {
                link = try NetworkLink(String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
                try link.setMTU(mtu)
                try link.setUp()
            } catch {
                close(descriptor)
                throw error
            }
        }

        deinit { close(descriptor) }
    }
#endif
