// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import MulticastDNS

/// The Avahi daemon, the multicast DNS responder of this computer.
actor AvahiDaemon {
    static let busName = "org.freedesktop.Avahi"
    let connection: DBusConnection
    private var registrations: [Int: AvahiRegistration] = [:]
    private var lastRegistration = 0
    /// The continuations of streams that report whether the daemon is present.
    private var restarts: [Int: AsyncStream<Bool>.Continuation] = [:]
    private var lastRestart = 0
    private var monitor: Task<Void, Never>?
    private(set) var isClosed = false

    private init(connection: DBusConnection) { self.connection = connection }

    /// - Throws: ``ServiceDiscoveryError/avahiUnavailable(_:)`` if there is no bus, or no daemon on it.
    static func connect() async throws -> AvahiDaemon {
        do {
            let connection = try await DBusConnection.connectToSystemBus()
            guard try await connection.call(.bus, "NameHasOwner", [.string(busName)]) == [.boolean(true)] else {
                await connection.close()
                throw ServiceDiscoveryError.avahiUnavailable("it is not running")
            }
            let daemon = AvahiDaemon(connection: connection)
            try await daemon.watchOwner()
            return daemon
        } catch let error as ServiceDiscoveryError {
            throw error
        } catch DBusFailure.closed(let reason) {
            throw ServiceDiscoveryError.avahiUnavailable(reason)
        } catch {
            throw ServiceDiscoveryError.avahiUnavailable("the system has no bus here")
        }
    }

    /// Calls a method of the daemon.
    func call(
        _ interface: String, at path: String = "/", _ member: String, _ arguments: [DBusValue] = []
    ) async throws -> [DBusValue] {
        let object = DBusConnection.Object(
            destination: Self.busName, path: path, interface: Self.busName + "." + interface)
        do {
            return try await connection.call(object, member, arguments)
        } catch DBusFailure.closed(let reason) {
            throw ServiceDiscoveryError.avahiUnavailable(reason)
        } catch DBusFailure.refused(let name) {
            throw ServiceDiscoveryError.avahiRefused(name)
        }
    }

    private func watchOwner() async throws {
        let rule = "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.busName)'"
        _ = try await connection.call(.bus, "AddMatch", [.string(rule)])
        let signals = await connection.signals(of: DBusConnection.Object.bus.path)
        monitor = Task { [weak self] in
            for await signal in signals where signal.member == "NameOwnerChanged" {
                guard signal.body.count == 3 else { continue }
                await self?.ownerChanged(isThere: signal.body[2].text != "")
            }
            await self?.endRestarts()
        }
    }

    private func ownerChanged(isThere: Bool) async {
        for restart in restarts.values { restart.yield(isThere) }
        guard isThere else { return }
        for registration in registrations.values { try? await registration.establish() }
    }

    private func endRestarts() {
        for restart in restarts.values { restart.finish() }
        restarts = [:]
    }

    /// Returns a stream that reports whether the daemon is present, each time this changes.
    func presence() -> AsyncStream<Bool> {
        lastRestart += 1
        let id = lastRestart
        let (stream, continuation) = AsyncStream<Bool>.makeStream()
        restarts[id] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.endPresence(id) } }
        return stream
    }

    private func endPresence(_ id: Int) { restarts[id] = nil }

    func register(_ service: ServiceAnnouncement) async throws -> AvahiRegistration {
        lastRegistration += 1
        let registration = AvahiRegistration(service, id: lastRegistration, daemon: self)
        try await registration.establish()
        registrations[lastRegistration] = registration
        return registration
    }

    func forget(_ id: Int) { registrations[id] = nil }

    func close() async {
        isClosed = true
        monitor?.cancel()
        endRestarts()
        // The daemon sends goodbye packets for a client that has disconnected.
        await connection.close()
    }

    /// The value for any interface and any protocol in the Avahi API.
    static let unspecified = DBusValue.int32(-1)
}
