// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames

/// Service discovery with the Avahi daemon.
extension AvahiDaemon: DiscoveryBackend {
    func browse(_ type: ServiceType) async throws -> AsyncThrowingStream<ServiceEvent, any Error> {
        browser("ServiceBrowser", [.string(type.description), .string("local"), .uint32(0)]) { signal in
            guard signal.body.count == 6, case .int32(let index) = signal.body[0], let name = signal.body[2].text,
                let type = signal.body[3].text.flatMap({ try? ServiceType($0) })
            else { return nil }
            return ServiceInstance(name, type: type, interface: NetworkInterface(index: UInt32(bitPattern: index)))
        }
    }

    func browseTypes() async throws -> AsyncThrowingStream<ServiceType, any Error> {
        let events =
            browser("ServiceTypeBrowser", [.string("local"), .uint32(0)]) { signal in
                signal.body.count == 5 ? signal.body[2].text.flatMap { try? ServiceType($0) } : nil
            } as AsyncThrowingStream<Sighting<ServiceType>, any Error>
        return .following(events) { if case .found(let type) = $0 { type } else { nil } }
    }

    private func browse(_ events: AsyncThrowingStream<Sighting<ServiceInstance>, any Error>)
        -> AsyncThrowingStream<ServiceEvent, any Error>
    {
        .following(events) { event in
            switch event {
            case .found(let instance): .found(instance)
            case .lost(let instance): .lost(instance)
            }
        }
    }

    private enum Sighting<Item: Sendable>: Sendable {
        case found(Item)
        case lost(Item)
    }

    private func browser(
        _ kind: String, _ arguments: [DBusValue], _ item: @escaping @Sendable (DBusMessage) -> ServiceInstance?
    ) -> AsyncThrowingStream<ServiceEvent, any Error> { browse(browser(kind, arguments, item)) }

    /// Follows one of the daemon's browsers, and creates a new browser after the daemon restarts.
    ///
    /// An item is reported as found with the first IP version that Avahi reports on an interface, and as lost with the
    /// last.
    private func browser<Item: Hashable & Sendable>(
        _ kind: String, _ arguments: [DBusValue], _ item: @escaping @Sendable (DBusMessage) -> Item?
    ) -> AsyncThrowingStream<Sighting<Item>, any Error> {
        let presence = presence()
        return AsyncThrowingStream { continuation in
            @Sendable func start() -> Task<Void, Never> {
                Task {
                    do {
                        try await self.follow(kind, arguments, item, into: continuation)
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
            }
            let task = Task {
                var following = start()
                for await isThere in presence {
                    following.cancel()
                    await following.value
                    if isThere { following = start() }
                }
                following.cancel()
                guard !self.isClosed else { return continuation.finish() }
                continuation.finish(throwing: ServiceDiscoveryError.avahiUnavailable("the connection has ended"))
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func follow<Item: Hashable & Sendable>(
        _ kind: String, _ arguments: [DBusValue], _ item: @Sendable (DBusMessage) -> Item?,
        into continuation: AsyncThrowingStream<Sighting<Item>, any Error>.Continuation
    ) async throws {
        let path = try await call("Server", kind + "New", [Self.unspecified, Self.unspecified] + arguments).first?.text
        guard let path else { return }
        var counts = SightingCounts<Item>()
        for await signal in await connection.signals(of: path) {
            guard let item = item(signal) else { continue }
            switch signal.member {
            case "ItemNew": if counts.add(item) { continuation.yield(.found(item)) }
            case "ItemRemove": if counts.remove(item) { continuation.yield(.lost(item)) }
            default: break
            }
        }
        for item in counts.removeAll() { continuation.yield(.lost(item)) }
        _ = try? await call(kind, at: path, "Free")
    }

    func resolve(_ instance: ServiceInstance) async throws -> ResolvedService {
        // IPv4 and IPv6, for both the query transport and the address type; with "any", Avahi tries only one version.
        let protocols: [Int32] = [0, 1]
        return try await withThrowingTaskGroup(of: ResolvedService?.self) { group in
            for implementation in protocols {
                for kind in protocols {
                    group.addTask { try? await self.resolve(instance, protocol: implementation, addressProtocol: kind) }
                }
            }
            var found: [ResolvedService] = []
            while let result = try await group.next() {
                guard let result else {
                    guard found.isEmpty else { break }
                    continue
                }
                found.append(result)
                guard found.count == 1 else { continue }
                // The other IP version may have no address, for which Avahi waits several seconds.
                group.addTask {
                    try await Task.sleep(for: .milliseconds(250))
                    return nil
                }
            }
            group.cancelAll()
            guard let service = found.first else { throw ServiceDiscoveryError.notFound(instance.name) }
            let addresses = found.filter { $0.instance == service.instance }.flatMap(\.addresses)
            return ResolvedService(
                instance: service.instance, host: service.host, port: service.port,
                addresses: Set(addresses).sorted { $0.address < $1.address }, attributes: service.attributes)
        }
    }

    private func resolve(
        _ instance: ServiceInstance, protocol implementation: Int32, addressProtocol: Int32
    ) async throws -> ResolvedService {
        let index = instance.interface.map { Int32(truncatingIfNeeded: $0.index) } ?? -1
        let result = try await call(
            "Server", "ResolveService",
            [
                .int32(index), .int32(implementation), .string(instance.name), .string(instance.type.description),
                .string("local"), .int32(addressProtocol), .uint32(0),
            ])
        guard result.count == 11, case .int32(let found) = result[0], let host = result[5].text,
            let address = result[7].text.flatMap({ IPAddress($0) }), case .uint16(let port) = result[8],
            let text = result[9].byteStrings
        else { throw ServiceDiscoveryError.notFound(instance.name) }
        let interface = NetworkInterface(index: UInt32(bitPattern: found))
        return ResolvedService(
            instance: ServiceInstance(instance.name, type: instance.type, interface: interface),
            host: try DomainName(host), port: port, addresses: [ScopedAddress(address, on: interface)],
            // Avahi returns the strings in reverse order, and the first one of a repeated key counts.
            attributes: ServiceAttributes(strings: text.reversed()))
    }

    func announce(_ service: ServiceAnnouncement) async throws -> any RegistrationBackend {
        guard (1...63).contains(service.name.utf8.count) else {
            throw ServiceDiscoveryError.malformedName(service.name)
        }
        return try await register(service)
    }
}
