// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import MulticastDNS

/// Announces and finds services on the networks of this computer (DNS-SD, RFC 6763).
///
/// What is found is not authenticated: any computer on the network can take any name, and answer with any address.
/// A connection to a service is trusted by its certificate, checked against a name or a key that the user knows from elsewhere.
public struct ServiceDiscovery: Sendable {
    /// Who speaks multicast DNS for this process.
    public enum Way: String, Hashable, Sendable, CaseIterable {
        /// The daemon of Avahi, over D-Bus.
        case avahi
        /// The responder of the system with the C functions of `dns_sd.h`: mDNSResponder on macOS.
        ///
        /// Elsewhere it is there in builds with the package's trait `DNSServiceDiscovery`. On Linux Avahi's library has the functions.
        case dnssd
        /// This process, with UDP port 5353.
        case own
    }

    /// The way that is used.
    public let way: Way
    private let backend: any DiscoveryBackend

    /// Starts discovery.
    ///
    /// Only one responder of a computer should answer for its names. So the responder that runs is used: mDNSResponder on macOS, and the daemon of
    /// Avahi elsewhere. This process answers where there is none.
    ///
    /// - Parameters:
    ///   - way: The way to use; `nil` for the one that suits this computer.
    ///   - hostLabel: The first label of this computer's name, where this process announces it; `nil` for the one that the system has.
    /// - Throws: ``ServiceDiscoveryError`` where the way cannot be used.
    public init(_ way: Way? = nil, hostLabel: String? = nil) async throws {
        if let way {
            (self.way, backend) = (way, try await Self.backend(way, hostLabel))
        } else if let responder = try? await Self.backend(.ofSystem, hostLabel) {
            (self.way, backend) = (.ofSystem, responder)
        } else {
            (self.way, backend) = (.own, try await Self.backend(.own, hostLabel))
        }
    }

    private static func backend(_ way: Way, _ hostLabel: String?) async throws -> any DiscoveryBackend {
        switch way {
        case .avahi: return try await AvahiDaemon.connect()
        case .dnssd:
            #if canImport(dnssd) || DNSServiceDiscovery
                return try await SystemResponder.connect()
            #else
                throw ServiceDiscoveryError.dnssdUnavailable("this build is without the trait DNSServiceDiscovery")
            #endif
        case .own:
            let responder = OwnResponder(hostLabel: hostLabel)
            try await responder.start()
            return responder
        }
    }

    /// Services of a type that come and go, on each interface; each is reported lost before it is found again.
    ///
    /// The sequence goes on until its task is cancelled or discovery is closed.
    public func browse(_ type: ServiceType) -> AsyncThrowingStream<ServiceEvent, any Error> {
        let backend = backend
        return .starting { try await backend.browse(type) }
    }

    /// The types of services that there are (RFC 6763 section 9); a type can come more than once.
    public func browseTypes() -> AsyncThrowingStream<ServiceType, any Error> {
        let backend = backend
        return .starting { try await backend.browseTypes() }
    }

    /// Finds out where a service is.
    ///
    /// - Parameters:
    ///   - instance: The service.
    ///   - timeout: How long to wait for answers.
    /// - Returns: Its host, port, addresses and attributes.
    /// - Throws: ``ServiceDiscoveryError/notFound(_:)`` where no answer came in time.
    public func resolve(_ instance: ServiceInstance, timeout: Duration = .seconds(5)) async throws -> ResolvedService {
        try await withThrowingTaskGroup(of: ResolvedService.self) { [backend] group in
            group.addTask { try await backend.resolve(instance) }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw ServiceDiscoveryError.notFound(instance.name)
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw ServiceDiscoveryError.notFound(instance.name) }
            return first
        }
    }

    /// Announces a service of this computer.
    ///
    /// It returns when the name is established. Where another computer has the name already, the service gets the next one, such as `Printer (2)`.
    ///
    /// - Parameter service: The service.
    /// - Returns: The announced service, with the name that it has got.
    /// - Throws: ``ServiceDiscoveryError``.
    public func announce(_ service: ServiceAnnouncement) async throws -> ServiceRegistration {
        ServiceRegistration(backend: try await backend.announce(service))
    }

    /// Ends all announcements with a goodbye, and all browsing.
    public func close() async { await backend.close() }
}

extension ServiceDiscovery.Way {
    /// The way to the responder that this kind of system usually has.
    fileprivate static var ofSystem: Self {
        #if canImport(dnssd)
            .dnssd
        #else
            .avahi
        #endif
    }
}

/// A service to announce.
public struct ServiceAnnouncement: Hashable, Sendable {
    /// The name that users see, of 1 to 63 bytes of UTF-8.
    public var name: String
    /// The type.
    public var type: ServiceType
    /// Subtypes at which the service is found too, such as `_printer` (RFC 6763 section 7.1).
    public var subtypes: [String]
    /// The port.
    public var port: UInt16
    /// What the service says about itself.
    public var attributes: ServiceAttributes

    /// A service of a name, a type and a port.
    public init(
        name: String, type: ServiceType, subtypes: [String] = [], port: UInt16,
        attributes: ServiceAttributes = ServiceAttributes()
    ) {
        (self.name, self.type, self.subtypes) = (name, type, subtypes)
        (self.port, self.attributes) = (port, attributes)
    }
}

/// A service of this computer that is announced.
public struct ServiceRegistration: Sendable {
    let backend: any RegistrationBackend

    /// The name that the service has now; it changes where another computer turns out to have it.
    public var name: String { get async { await backend.name } }

    /// Changes what the service says about itself.
    ///
    /// - Throws: ``ServiceDiscoveryError``.
    public func update(_ attributes: ServiceAttributes) async throws { try await backend.update(attributes) }

    /// Ends the announcement, with a goodbye.
    public func withdraw() async { await backend.withdraw() }
}

extension AsyncThrowingStream where Failure == any Error, Element: Sendable {
    /// The elements of a stream that takes time to start.
    fileprivate static func starting(_ start: @escaping @Sendable () async throws -> Self) -> Self {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    for try await element in try await start() { continuation.yield(element) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
