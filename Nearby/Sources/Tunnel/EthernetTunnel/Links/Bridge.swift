// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc

    /// A kernel bridge, which learns the port of each host.
    ///
    /// A bridge that this program creates has a mark, which the kernel stores. If the process is killed, the bridge
    /// remains; the next process with the same bridge name finds the mark, takes over the bridge, and removes it at
    /// exit.
    struct Bridge: Sendable {
        private static let mark = "made by countersign tunnel"

        let link: NetworkLink
        /// Whether this process, or an earlier one, created the bridge.
        let isOwn: Bool

        /// Finds a bridge, or creates it and brings it up.
        init(named name: String) throws(TunnelError) {
            link = try NetworkLink(name)
            guard !link.exists else {
                isOwn = try Self.look(at: link).isOwn
                try link.setUp()
                return
            }
            guard tunnel_bridge_add(name) == 0 else { throw .lastSystemCall("make the bridge \(name)") }
            isOwn = true
            do throws(TunnelError) {
                guard tunnel_link_set_alias(name, Self.mark) == 0 else {
                    throw .lastSystemCall("mark the bridge \(name)")
                }
                try link.setUp()
            } catch {
                _ = tunnel_bridge_remove(name)
                throw error
            }
        }

        /// Adds an interface as a port; an interface that is already a port is unchanged.
        func attach(_ port: NetworkLink) throws(TunnelError) {
            guard port.exists else { throw .noInterface(port.name) }
            guard tunnel_bridge_attach(link.name, port.name) != 0 else { return }
            switch errno {
            case EBUSY where isPort(port): return
            case EBUSY, EINVAL, ELOOP: throw .interfaceInUse(port.name, bridge: link.name)
            default: throw .lastSystemCall("make \(port.name) a port of \(link.name)")
            }
        }

        /// Returns whether an interface is a port of this bridge, by detaching and reattaching it: the kernel refuses
        /// to detach ports of other bridges.
        private func isPort(_ port: NetworkLink) -> Bool {
            tunnel_bridge_detach(link.name, port.name) == 0 && tunnel_bridge_attach(link.name, port.name) == 0
        }

        func detach(_ port: NetworkLink) { _ = tunnel_bridge_detach(link.name, port.name) }

        /// Removes the bridge if this program created it and it has no remaining port, such as one of another tunnel.
        func removeIfOwn() {
            guard isOwn, let (_, ports) = try? Self.look(at: link), ports == 0 else { return }
            _ = tunnel_bridge_remove(link.name)
        }

        private static func look(at link: NetworkLink) throws(TunnelError) -> (isOwn: Bool, ports: Int) {
            var (isOwn, ports): (Int32, Int32) = (0, 0)
            guard tunnel_bridge_look(link.name, mark, &isOwn, &ports) == 0 else {
                throw .lastSystemCall("look at the bridge \(link.name)")
            }
            return (isOwn != 0, Int(ports))
        }
    }
#endif
