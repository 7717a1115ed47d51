// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(dnssd) || DNSServiceDiscovery
    import DNSMessages
    import MulticastDNS

    #if canImport(dnssd)
        import dnssd
    #else
        import CDNSServiceDiscovery
    #endif

    /// A service that the system responder announces.
    actor SystemRegistration: RegistrationBackend {
        private var service: ServiceAnnouncement
        private(set) var name: String
        private let operation: DNSServiceOperation<String>

        init(
            _ service: ServiceAnnouncement, name: String, _ operation: DNSServiceOperation<String>,
            _ names: AsyncThrowingStream<String?, any Error>
        ) {
            (self.service, self.name, self.operation) = (service, name, operation)
            Task { [weak self] in
                for try await case .some(let name) in names { await self?.rename(name) }
            }
        }

        private func rename(_ name: String) { self.name = name }

        func update(_ attributes: ServiceAttributes) async throws {
            service.attributes = attributes
            try await operation.update(service.textRecord, start: Self.start(service))
        }

        func withdraw() async { await operation.end() }

        /// Returns the call that registers a service.
        ///
        /// After a conflict the responder chooses the next name; Avahi's compatibility layer does not if this computer
        /// itself has the name.
        static func start(_ service: ServiceAnnouncement) -> DNSServiceOperation<String>.Start {
            { reference, context in
                let (type, text) = (service.type.text(withSubtypes: service.subtypes), service.textRecord)
                var (name, error) = (service.name, DNSServiceErrorType(kDNSServiceErr_NameConflict))
                for _ in 0..<100 where error == kDNSServiceErr_NameConflict {
                    error = DNSServiceRegister(
                        reference, 0, 0, name, type, "local.", nil, service.port.bigEndian, UInt16(text.count), text,
                        { _, _, error, name, _, _, context in
                            DNSServiceOperation<String>.reply(
                                context, error, name.flatMap { String(validatingCString: $0) })
                        }, context)
                    name = AlternativeName.ofService(name)
                }
                return error
            }
        }
    }

    extension ServiceAnnouncement {
        /// The data of the TXT record.
        ///
        /// It has at most 65,535 bytes, because ``ServiceAttributes`` limits its size or was read from a TXT record.
        fileprivate var textRecord: [UInt8] { DNSRecordData.text(attributes.strings).uncompressed }
    }
#endif
