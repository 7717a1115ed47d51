// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The segment on this side of a tunnel: a bridge, and the interfaces that are its ports.
public struct LocalSegment: Hashable, Sendable {
    /// The name of the bridge, which is made if it does not exist; `nil` for a TAP interface without a bridge, for a single host.
    public var bridge: String?
    /// The name of an interface of the segment that becomes a port of the bridge; `nil`, the default, for none.
    public var interface: String?
    /// The name of the TAP interface, of 1 to 15 characters, in which `%d` stands for a number; `etun%d` by default.
    public var tap: String
    /// The MTU of the TAP interface in bytes; `nil`, the default, takes that of the segment, or the tunnel's if there is no bridge.
    public var mtu: Int?

    /// Makes the description of a segment; the system is not changed yet.
    public init(bridge: String?, interface: String? = nil, tap: String = "etun%d", mtu: Int? = nil) {
        (self.bridge, self.interface, self.tap, self.mtu) = (bridge, interface, tap, mtu)
    }
}

#if os(Linux)
    import Synchronization

    /// A segment whose bridge is there.
    final class OpenSegment: Sendable {
        let settings: LocalSegment
        private let bridge: Bridge?
        private let interface: NetworkLink?
        private let mtu: Int
        /// The TAP interfaces that were made; the bridge is removed without waiting for the threads that use them.
        private let taps = Mutex<[NetworkLink]>([])

        /// What a TAP interface has before the path is known, where there is no bridge.
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

        /// Warns where the interface has an IPv4 address, which belongs on the bridge now.
        func warn(_ report: (TunnelEvent) -> Void) {
            guard let interface, let bridge, interface.hasIPv4Address else { return }
            report(.addressHidden(interface: interface.name, bridge: bridge.link.name))
        }

        /// Makes a TAP interface, a port of the bridge.
        func makeTAP() throws(TunnelError) -> TAPInterface {
            let tap = try TAPInterface(name: settings.tap, mtu: mtu)
            try bridge?.attach(tap.link)
            taps.withLock { $0.append(tap.link) }
            return tap
        }

        /// The MAC addresses of this side.
        func ownAddresses(_ tap: TAPInterface) -> Set<UInt64> {
            Set([tap.link.address, bridge?.link.address, interface?.address].compactMap(\.self))
        }

        /// Gives a TAP interface without a bridge the MTU that fits the path.
        func fit(_ tap: NetworkLink, to innerMTU: Int) {
            guard bridge == nil, settings.mtu == nil else { return }
            try? tap.setMTU(innerMTU)
        }

        /// Takes the interface out of the bridge, and removes the bridge where it was made here.
        func close() {
            guard let bridge, bridge.isOwn else { return }
            for link in taps.withLock(\.self) + [interface].compactMap(\.self) { bridge.detach(link) }
            bridge.removeIfOwn()
        }
    }
#endif
