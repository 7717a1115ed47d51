// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc

    /// A bridge of the kernel, which learns on which of its ports each host is.
    ///
    /// One that was made here has a mark that the kernel keeps with it. A process that was killed leaves it behind; the next one that is
    /// given its name finds the mark and takes it over, and removes it at its end.
    struct Bridge: Sendable {
        private static let mark = "made by countersign tunnel"

        let link: NetworkLink
        /// Whether it was made here, or by a process before.
        let isOwn: Bool

        /// Finds a bridge, or makes it and brings it up.
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

        /// Makes an interface a port; one that is a port already stays one.
        func attach(_ port: NetworkLink) throws(TunnelError) {
            guard port.exists else { throw .noInterface(port.name) }
            guard tunnel_bridge_attach(link.name, port.name) != 0 else { return }
            switch errno {
            case EBUSY where isPort(port): return
            case EBUSY, EINVAL, ELOOP: throw .interfaceInUse(port.name, bridge: link.name)
            default: throw .lastSystemCall("make \(port.name) a port of \(link.name)")
            }
        }

        /// Detaches a port and attaches it again shows whether it is one of this bridge: the kernel refuses to detach others.
        private func isPort(_ port: NetworkLink) -> Bool {
            tunnel_bridge_detach(link.name, port.name) == 0 && tunnel_bridge_attach(link.name, port.name) == 0
        }

        func detach(_ port: NetworkLink) { _ = tunnel_bridge_detach(link.name, port.name) }

        /// Removes the bridge where it was made here and has no port left, such as those of another tunnel.
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
