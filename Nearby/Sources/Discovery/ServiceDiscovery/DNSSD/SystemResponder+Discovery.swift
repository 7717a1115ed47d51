// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(dnssd) || DNSServiceDiscovery
    import DNSMessages
    import DNSNames

    #if canImport(dnssd)
        import dnssd
    #else
        import CDNSServiceDiscovery
    #endif

    /// Service discovery with the system responder.
    extension SystemResponder {
        private static let domain = "local."

        private struct Sighting {
            let instance: ServiceInstance
            let isFound: Bool

            init?(_ name: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, on index: UInt32, isFound: Bool) {
                guard let name = text(name), let type = text(type).flatMap({ try? ServiceType($0) }) else { return nil }
                instance = ServiceInstance(name, type: type, interface: NetworkInterface(index: index))
                self.isFound = isFound
            }
        }

        func browse(_ type: ServiceType) async throws -> AsyncThrowingStream<ServiceEvent, any Error> {
            let sightings = try await startOperation("DNSServiceBrowse", Sighting.self) { reference, context in
                DNSServiceBrowse(
                    reference, 0, 0, type.text(withSubtypes: type.subtype.map { [$0] } ?? []), Self.domain,
                    { _, flags, index, error, name, type, _, context in
                        DNSServiceOperation<Sighting>.reply(
                            context, error, Sighting(name, type, on: index, isFound: flags.hasAdd))
                    }, context)
            }.replies
            return AsyncThrowingStream { continuation in
                let task = Task {
                    var counts = SightingCounts<ServiceInstance>()
                    do {
                        for try await sighting in sightings {
                            guard let sighting else {
                                for instance in counts.removeAll() { continuation.yield(.lost(instance)) }
                                continue
                            }
                            if sighting.isFound {
                                if counts.add(sighting.instance) { continuation.yield(.found(sighting.instance)) }
                            } else if counts.remove(sighting.instance) {
                                continuation.yield(.lost(sighting.instance))
                            }
                        }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        func browseTypes() async throws -> AsyncThrowingStream<ServiceType, any Error> {
            .following(try await records(ServiceType.enumeration, .ptr, on: 0)) { record in
                guard let record, record.isFound, case .pointer(let name) = record.data else { return nil }
                return ServiceType(domainName: name)
            }
        }

        private struct Location {
            let interface: UInt32
            let host: DomainName
            let port: UInt16
            let attributes: ServiceAttributes

            init?(
                _ host: UnsafePointer<CChar>?, port: UInt16, _ bytes: UnsafeRawPointer?, _ length: UInt16,
                on index: UInt32
            ) {
                guard let host = text(host).flatMap({ try? DomainName($0) }),
                    case .text(let strings) = try? DNSRecordData(.txt, bytes, length)
                else { return nil }
                (interface, self.host, self.port) = (index, host, port)
                #if canImport(dnssd)
                    attributes = ServiceAttributes(strings: strings)
                #else
                    // Avahi's library returns the strings in reverse order, and the first one of a repeated key counts.
                    attributes = ServiceAttributes(strings: strings.reversed())
                #endif
            }
        }

        func resolve(_ instance: ServiceInstance) async throws -> ResolvedService {
            let (name, type) = (instance.name, instance.type.description)
            let index = instance.interface.map { UInt32($0.index) } ?? 0
            let locations = try await startOperation("DNSServiceResolve", Location.self) { reference, context in
                DNSServiceResolve(
                    reference, 0, index, name, type, Self.domain,
                    { _, _, index, error, _, host, port, length, text, context in
                        DNSServiceOperation<Location>.reply(
                            context, error,
                            Location(host, port: UInt16(bigEndian: port), text, length, on: index))
                    }, context)
            }.replies
            for try await case .some(let location) in locations {
                let interface = NetworkInterface(index: location.interface)
                return ResolvedService(
                    instance: ServiceInstance(instance.name, type: instance.type, interface: interface),
                    host: location.host, port: location.port,
                    addresses: try await addresses(of: location.host, on: location.interface),
                    attributes: location.attributes)
            }
            throw CancellationError()
        }

        /// Returns the addresses of a host: those of the IP version that answers first, and of the other version if it
        /// answers soon after.
        private func addresses(of host: DomainName, on index: UInt32) async throws -> [ScopedAddress] {
            try await withThrowingTaskGroup(of: [ScopedAddress].self) { group in
                for type in [DNSRecordType.a, .aaaa] {
                    group.addTask { try await self.addresses(of: host, type, on: index) }
                }
                let first = try await group.next() ?? []
                group.addTask {
                    try await Task.sleep(for: .milliseconds(250))
                    return []
                }
                let second = try await group.next() ?? []
                group.cancelAll()
                return (first + second).sorted { $0.address < $1.address }
            }
        }

        private func addresses(
            of host: DomainName, _ type: DNSRecordType, on index: UInt32
        ) async throws -> [ScopedAddress] {
            var addresses: [ScopedAddress] = []
            for try await case .some(let record) in try await records(host, type, on: index) {
                if record.isFound, case .address(let address) = record.data {
                    addresses.append(ScopedAddress(address, on: NetworkInterface(index: record.interface)))
                }
                if !addresses.isEmpty, !record.hasMore { break }
            }
            return addresses
        }

        private struct Record {
            let data: DNSRecordData
            let interface: UInt32
            let isFound: Bool
            /// Whether more records follow immediately.
            let hasMore: Bool
        }

        private func records(
            _ name: DomainName, _ type: DNSRecordType, on index: UInt32
        ) async throws -> AsyncThrowingStream<Record?, any Error> {
            try await startOperation("DNSServiceQueryRecord", Record.self) { reference, context in
                DNSServiceQueryRecord(
                    reference, 0, index, name.description, type.rawValue, 1,
                    { _, flags, index, error, _, type, _, length, bytes, _, context in
                        let data = try? DNSRecordData(DNSRecordType(rawValue: type), bytes, length)
                        DNSServiceOperation<Record>.reply(
                            context, error,
                            data.map {
                                Record(
                                    data: $0, interface: index, isFound: flags.hasAdd,
                                    hasMore: flags & DNSServiceFlags(kDNSServiceFlagsMoreComing) != 0)
                            })
                    }, context)
            }.replies
        }

        func announce(_ service: ServiceAnnouncement) async throws -> any RegistrationBackend {
            guard (1...63).contains(service.name.utf8.count) else {
                throw ServiceDiscoveryError.malformedName(service.name)
            }
            let (operation, names) = try await startOperation(
                "DNSServiceRegister", String.self, SystemRegistration.start(service))
            for try await case .some(let name) in names {
                return SystemRegistration(service, name: name, operation, names)
            }
            throw CancellationError()
        }
    }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.flatMap { String(validatingCString: $0) }
    }

    extension DNSServiceFlags {
        fileprivate var hasAdd: Bool { self & DNSServiceFlags(kDNSServiceFlagsAdd) != 0 }
    }

    extension DNSRecordData {
        fileprivate init(_ type: DNSRecordType, _ bytes: UnsafeRawPointer?, _ length: UInt16) throws(DNSMessageError) {
            try self.init(type, decoding: Array(UnsafeRawBufferPointer(start: bytes, count: Int(length))))
        }
    }

    extension ServiceType {
        /// Returns the type in the format of dns_sd, with subtypes after commas.
        func text(withSubtypes subtypes: [String]) -> String {
            let escaped = subtypes.map { subtype in
                subtype.reduce(into: "") { $0 += [".", ",", "\\"].contains($1) ? "\\\($1)" : "\($1)" }
            }
            return ([base.description] + escaped).joined(separator: ",")
        }
    }
#endif
