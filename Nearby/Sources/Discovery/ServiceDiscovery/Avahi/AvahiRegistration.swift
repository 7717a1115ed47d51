// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import MulticastDNS

/// A service that the Avahi daemon announces (an entry group).
actor AvahiRegistration: RegistrationBackend {
    private var service: ServiceAnnouncement
    private let id: Int
    private let daemon: AvahiDaemon
    private var path: String?
    private var state = State.uncommitted
    private var signals: Task<Void, Never>?
    private var waiting: CheckedContinuation<Void, any Error>?

    /// The states of an entry group (avahi-common/defs.h).
    private enum State: Int32 {
        case uncommitted, registering, established, collision, failure
    }

    init(_ service: ServiceAnnouncement, id: Int, daemon: AvahiDaemon) {
        (self.service, self.id, self.daemon) = (service, id, daemon)
    }

    var name: String { service.name }

    /// Announces the service and returns once it is established, under the next name if another service has its name.
    func establish() async throws {
        signals?.cancel()
        let path = try await daemon.call("Server", "EntryGroupNew").first?.text ?? ""
        (self.path, state) = (path, .uncommitted)
        let stream = await daemon.connection.signals(of: path)
        signals = Task { [weak self] in
            for await signal in stream { await self?.receive(signal) }
            await self?.settle(.failure(ServiceDiscoveryError.avahiUnavailable("it has terminated")))
        }
        try await commitUnderNextNames()
        guard state != .established else { return }
        try await withCheckedThrowingContinuation { waiting = $0 }
    }

    private func receive(_ signal: DBusMessage) async {
        guard signal.member == "StateChanged", case .int32(let number)? = signal.body.first,
            let state = State(rawValue: number)
        else { return }
        self.state = state
        switch state {
        case .uncommitted, .registering: break
        case .established: settle(.success(()))
        case .failure:
            settle(.failure(ServiceDiscoveryError.avahiRefused(signal.body.last?.text ?? "without a reason")))
        case .collision:
            // A collision with another host can also occur after the name was established.
            do {
                try await commitNext()
            } catch {
                settle(.failure(error))
            }
        }
    }

    private func settle(_ result: Result<Void, any Error>) {
        waiting?.resume(with: result)
        waiting = nil
    }

    private func commitNext() async throws {
        _ = try await group("Reset")
        service.name = AlternativeName.ofService(service.name)
        try await commitUnderNextNames()
    }

    private func commitUnderNextNames() async throws {
        for _ in 0..<100 {
            do {
                try await add()
                _ = try await group("Commit")
                return
            } catch ServiceDiscoveryError.avahiRefused(let name) where name.hasSuffix(".CollisionError") {
                _ = try await group("Reset")
                service.name = AlternativeName.ofService(service.name)
            }
        }
    }

    /// The strings of the TXT record; Avahi rejects an empty string.
    private var strings: [[UInt8]] { service.attributes.strings.filter { !$0.isEmpty } }

    private func add() async throws {
        let (name, type) = (DBusValue.string(service.name), DBusValue.string(service.type.base.description))
        _ = try await group(
            "AddService",
            [
                AvahiDaemon.unspecified, AvahiDaemon.unspecified, .uint32(0), name, type, .string("local"), .string(""),
                .uint16(service.port), .byteStrings(strings),
            ])
        for subtype in service.subtypes {
            _ = try await group(
                "AddServiceSubtype",
                [
                    AvahiDaemon.unspecified, AvahiDaemon.unspecified, .uint32(0), name, type, .string("local"),
                    .string(subtype + "._sub." + service.type.base.description),
                ])
        }
    }

    func update(_ attributes: ServiceAttributes) async throws {
        service.attributes = attributes
        _ = try await group(
            "UpdateServiceTxt",
            [
                AvahiDaemon.unspecified, AvahiDaemon.unspecified, .uint32(0), .string(service.name),
                .string(service.type.base.description), .string("local"), .byteStrings(strings),
            ])
    }

    func withdraw() async {
        signals?.cancel()
        await daemon.forget(id)
        _ = try? await group("Free")
        path = nil
    }

    private func group(_ member: String, _ arguments: [DBusValue] = []) async throws -> [DBusValue] {
        guard let path else { return [] }
        return try await daemon.call("EntryGroup", at: path, member, arguments)
    }
}
