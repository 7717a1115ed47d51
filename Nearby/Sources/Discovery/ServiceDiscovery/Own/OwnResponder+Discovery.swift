// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames
import MulticastDNS

/// Service discovery with this process's own multicast DNS responder.
extension OwnResponder: DiscoveryBackend {
    func browse(_ type: ServiceType) async -> AsyncThrowingStream<ServiceEvent, any Error> {
        let records = watch(RecordSetKey(type.domainName, .ptr))
        return .following(records) { event in
            guard case .pointer(let name) = event.record.data,
                let instance = ServiceInstance(domainName: name, interface: event.interface)
            else { return nil }
            return event.isFound ? .found(instance) : .lost(instance)
        }
    }

    func browseTypes() async -> AsyncThrowingStream<ServiceType, any Error> {
        let records = watch(RecordSetKey(ServiceType.enumeration, .ptr))
        return .following(records) { event in
            guard event.isFound, case .pointer(let name) = event.record.data else { return nil }
            return ServiceType(domainName: name)
        }
    }

    func resolve(_ instance: ServiceInstance) async throws -> ResolvedService {
        let name = try instance.domainName()
        async let text = firstRecord(RecordSetKey(name, .txt), on: instance.interface)
        let location = try await firstRecord(RecordSetKey(name, .srv), on: instance.interface)
        guard case .service(let service) = location.record.data else {
            throw ServiceDiscoveryError.notFound(instance.name)
        }
        let addresses = try await addresses(of: service.target, on: location.interface)
        guard case .text(let strings) = try await text.record.data else {
            throw ServiceDiscoveryError.notFound(instance.name)
        }
        return ResolvedService(
            instance: ServiceInstance(instance.name, type: instance.type, interface: location.interface),
            host: service.target, port: service.port, addresses: addresses,
            attributes: ServiceAttributes(strings: strings))
    }

    func announce(_ service: ServiceAnnouncement) async throws -> any RegistrationBackend {
        do {
            let id = try await announce(
                AnnouncedService(
                    label: service.name, type: service.type.base.domainName, subtypes: service.subtypes,
                    port: service.port, text: service.attributes.strings))
            return OwnRegistration(id: id, responder: self)
        } catch is DomainNameError {
            throw ServiceDiscoveryError.malformedName(service.name)
        }
    }

    private func firstRecord(
        _ key: RecordSetKey, on interface: NetworkInterface?
    ) async throws -> RecordEvent {
        for await event in watch(key) where event.isFound && (interface == nil || event.interface == interface) {
            return event
        }
        throw CancellationError()
    }

    /// Returns the addresses of a host, of both IP versions unless the host denies one or its answer takes too long.
    private func addresses(of host: DomainName, on interface: NetworkInterface?) async throws -> [ScopedAddress] {
        let keys = [DNSRecordType.a, .aaaa].map { RecordSetKey(host, $0) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for key in keys {
                group.addTask { _ = try await self.firstRecord(key, on: interface) }
            }
            try await group.next()
            let isOneProtocol = records(RecordSetKey(host, .nsec)).contains { known in
                guard case .nextSecure(_, let types) = known.record.data else { return false }
                return !types.isSuperset(of: [.a, .aaaa])
            }
            if !isOneProtocol {
                group.addTask { [maximumAnswerDelay] in try await Task.sleep(for: maximumAnswerDelay) }
                try await group.next()
            }
            group.cancelAll()
            return keys.flatMap { key in
                records(key).filter { interface == nil || $0.interface == interface }.compactMap { known in
                    guard case .address(let address) = known.record.data else { return nil }
                    return ScopedAddress(address, on: known.interface)
                }
            }.sorted { $0.address < $1.address }
        }
    }
}

/// A service that this process announces.
struct OwnRegistration: RegistrationBackend {
    let id: Int
    let responder: OwnResponder

    var name: String { get async { await responder.label(of: id) ?? "" } }

    func update(_ attributes: ServiceAttributes) async throws { await responder.update(id, text: attributes.strings) }

    func withdraw() async { await responder.withdraw(id) }
}

extension AsyncThrowingStream where Failure == any Error {
    /// Returns a stream of the transformed elements of another stream, without `nil` results.
    static func following<Other: AsyncSequence & Sendable>(
        _ other: Other, _ transform: @escaping @Sendable (Other.Element) -> Element?
    ) -> Self where Other.Element: Sendable, Element: Sendable {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    for try await element in other { transform(element).map { _ = continuation.yield($0) } }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
