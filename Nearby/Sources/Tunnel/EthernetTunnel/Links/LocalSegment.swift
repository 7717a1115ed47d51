// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The local network segment of a tunnel: a bridge and the interfaces that are its ports.
public struct LocalSegment: Hashable, Sendable {
    /// The name of the bridge, which is created if it does not exist; `nil` for a TAP interface without a bridge, for a
    /// single host.
    public var bridge: String?
    /// The name of a network interface that becomes a port of the bridge; `nil` by default.
    public var interface: String?
    /// The name of the TAP interface, 1 to 15 characters, in which `%d` is replaced by a number; `etun%d` by default.
    public var tap: String
    /// The MTU of the TAP interface in bytes; `nil`, the default, uses that of the segment, or the tunnel's if there is
    /// no bridge.
    public var mtu: Int?

    /// Creates the description of a segment; this does not change the system.
    public init(bridge: String?, interface: String? = nil, tap: String = "etun%d", mtu: Int? = nil) {
        (self.bridge, self.interface, self.tap, self.mtu) = (bridge, interface, tap, mtu)
    }
}

#if os(Linux)
    import Synchronization

    /// A segment with an existing bridge.
    final class OpenSegment: Sendable {
        let settings: LocalSegment
        private let bridge: Bridge?
        private let interface: NetworkLink?
        private let mtu: Int
        /// The TAP interfaces that were created; the bridge is removed without waiting for the threads that use them.
        private let taps = Mutex<[NetworkLink]>([])

        /// The MTU of a TAP interface without a bridge, before the path MTU is known.
        private static let firstMTU = 1_280

        init(_ settings: LocalSegment) throws(TunnelError) {
            self.settings = settings
            let interface = try settings.interface.map { name throws(TunnelError) in try NetworkLink(name) }
            if let interface, !interface.exists { throw .noInterface(interface.name) }
            self.interface = interface
            let bridge = try settings.bridge.map { name throws(TunnelError) in try Bridge(named: name) }
            self.bridge = bridge
            do throws(TunnelError) {
                let given = if let link = interface ?? bridge?.link { try link.mtu } else { Self.firstMTU }
                mtu = settings.mtu ?? given
                if let interface, let bridge {
                    try interface.setUp()
                    try bridge.attach(interface)
                }
            } catch {
                bridge?.removeIfOwn()
                throw error
            }
        }

        var bridgeName: String? { bridge?.link.name }

        /// Reports a warning if the interface has an IPv4 address, which must be moved to the bridge.
        func warn(_ report: (TunnelEvent) -> Void) {
            guard let interface, let bridge, interface.hasIPv4Address else { return }
            report(.addressHidden(interface: interface.name, bridge: bridge.link.name))
        }

        /// Creates a TAP interface that is a port of the bridge.
        func makeTAP() throws(TunnelError) -> TAPInterface {
            let tap = try TAPInterface(name: settings.tap, mtu: mtu)
            try bridge?.attach(tap.link)
            taps.withLock { $0.append(tap.link) }
            return tap
        }

        /// Returns the MAC addresses of the local interfaces.
        func ownAddresses(_ tap: TAPInterface) -> Set<UInt64> {
            Set([tap.link.address, bridge?.link.address, interface?.address].compactMap(\.self))
        }

        /// Sets the MTU of a TAP interface without a bridge to fit the path.
        func fit(_ tap: NetworkLink, to innerMTU: Int) {
            guard bridge == nil, settings.mtu == nil else { return }
            try? tap.setMTU(innerMTU)
        }

        /// Detaches the interface from the bridge, and removes the bridge if this program created it.
        func close() {
            guard let bridge, bridge.isOwn else { return }
            for link in taps.withLock(\.self) + [interface].compactMap(\.self) { bridge.detach(link) }
            bridge.removeIfOwn()
        }
    }
#endif
