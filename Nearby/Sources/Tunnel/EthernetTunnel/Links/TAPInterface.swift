// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc

    /// A virtual Ethernet interface whose frames this process reads and writes.
    ///
    /// The kernel removes it with its last descriptor, also where the process is killed.
    final class TAPInterface: Sendable {
        let link: NetworkLink
        let descriptor: Int32
        /// Whether frames with many segments are exchanged with the kernel.
        let hasOffloads: Bool

        /// Makes an interface and brings it up.
        ///
        /// - Parameters:
        ///   - name: Its name; `%d` in it stands for a number that the kernel chooses.
        ///   - mtu: The longest IP packet that it takes, in bytes.
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
