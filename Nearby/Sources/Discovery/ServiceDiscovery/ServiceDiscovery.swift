// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import MulticastDNS

/// Announces and finds services on the local networks of this computer (DNS-SD, RFC 6763).
///
/// The results are not authenticated: any computer on the network can claim any name and answer with any address. Trust
/// a connection to a service by its certificate, verified against a name or key that the user knows from elsewhere.
public struct ServiceDiscovery: Sendable {
    /// A multicast DNS implementation for this process to use.
    public enum Implementation: String, Hashable, Sendable, CaseIterable {
        /// The Avahi daemon, over D-Bus.
        case avahi
        /// The system responder, through the C functions of `dns_sd.h`: mDNSResponder on macOS.
        ///
        /// On other platforms, this requires the package trait `DNSServiceDiscovery`. On Linux, Avahi's library
        /// provides the functions.
        case dnssd
        /// This process itself, on UDP port 5353.
        case own
    }

    /// The implementation in use.
    public let implementation: Implementation
    private let backend: any DiscoveryBackend

    /// Starts discovery.
    ///
    /// Only one responder on a computer should answer for its names. The default is therefore the running responder:
    /// mDNSResponder on macOS, and the Avahi daemon elsewhere. If there is none, this process acts as the responder.
    ///
    /// - Parameters:
    ///   - implementation: The implementation to use; `nil` for the default of this computer.
    ///   - hostLabel: The first label of this computer's name, if this process announces it; `nil` for the system's
    ///     name.
    /// - Throws: ``ServiceDiscoveryError`` if the implementation is unavailable.
    public init(_ implementation: Implementation? = nil, hostLabel: String? = nil) async throws {
        if let implementation {
            (self.implementation, backend) = (implementation, try await Self.backend(implementation, hostLabel))
        } else if let responder = try? await Self.backend(.ofSystem, hostLabel) {
            (self.implementation, backend) = (.ofSystem, responder)
        } else {
            (self.implementation, backend) = (.own, try await Self.backend(.own, hostLabel))
        }
    }

    private static func backend(_ implementation: Implementation, _ hostLabel: String?) async throws
        -> any DiscoveryBackend
    {
        switch implementation {
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

    /// Returns a stream of services of a type as they appear and disappear, for each interface; a service is reported
    /// lost before it is reported found again.
    ///
    /// The stream continues until its task is cancelled or discovery is closed.
    public func browse(_ type: ServiceType) -> AsyncThrowingStream<ServiceEvent, any Error> {
        let backend = backend
        return .starting { try await backend.browse(type) }
    }

    /// Returns a stream of the service types on the network (RFC 6763 section 9); a type can occur more than once.
    public func browseTypes() -> AsyncThrowingStream<ServiceType, any Error> {
        let backend = backend
        return .starting { try await backend.browseTypes() }
    }

    /// Resolves a service to its host and port.
    ///
    /// - Parameters:
    ///   - instance: The service.
    ///   - timeout: The timeout for the answers.
    /// - Returns: The host, port, addresses and attributes of the service.
    /// - Throws: ``ServiceDiscoveryError/notFound(_:)`` if no answer arrives before the timeout.
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
    /// The method returns once the name is established. If another computer already has the name, the service gets the
    /// next name, such as `Printer (2)`.
    ///
    /// - Parameter service: The service.
    /// - Returns: The announced service, with its final name.
    /// - Throws: ``ServiceDiscoveryError``.
    public func announce(_ service: ServiceAnnouncement) async throws -> ServiceRegistration {
        ServiceRegistration(backend: try await backend.announce(service))
    }

    /// Withdraws all announcements with goodbye packets, and ends all browsing.
    public func close() async { await backend.close() }
}

extension ServiceDiscovery.Implementation {
    /// The implementation that uses the standard responder of this operating system.
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
    /// The name that users see, 1 to 63 bytes of UTF-8.
    public var name: String
    /// The type.
    public var type: ServiceType
    /// The subtypes under which the service can also be found, such as `_printer` (RFC 6763 section 7.1).
    public var subtypes: [String]
    /// The port.
    public var port: UInt16
    /// The attributes in the TXT record.
    public var attributes: ServiceAttributes

    /// Creates an announcement from a name, a type and a port.
    public init(
        name: String, type: ServiceType, subtypes: [String] = [], port: UInt16,
        attributes: ServiceAttributes = ServiceAttributes()
    ) {
        (self.name, self.type, self.subtypes) = (name, type, subtypes)
        (self.port, self.attributes) = (port, attributes)
    }
}

/// An announced service of this computer.
public struct ServiceRegistration: Sendable {
    let backend: any RegistrationBackend

    /// The current name of the service, which changes if another computer turns out to have the name.
    public var name: String { get async { await backend.name } }

    /// Replaces the attributes of the service.
    ///
    /// - Throws: ``ServiceDiscoveryError``.
    public func update(_ attributes: ServiceAttributes) async throws { try await backend.update(attributes) }

    /// Withdraws the announcement with a goodbye packet.
    public func withdraw() async { await backend.withdraw() }
}

extension AsyncThrowingStream where Failure == any Error, Element: Sendable {
    /// Returns a stream that forwards the elements of a stream created asynchronously.
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
