// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A multicast DNS implementation that announces and finds services.
protocol DiscoveryBackend: Sendable {
    func browse(_ type: ServiceType) async throws -> AsyncThrowingStream<ServiceEvent, any Error>
    func browseTypes() async throws -> AsyncThrowingStream<ServiceType, any Error>
    func resolve(_ instance: ServiceInstance) async throws -> ResolvedService
    func announce(_ service: ServiceAnnouncement) async throws -> any RegistrationBackend
    func close() async
}

/// A service announced by a discovery backend.
protocol RegistrationBackend: Sendable {
    var name: String { get async }
    func update(_ attributes: ServiceAttributes) async throws
    func withdraw() async
}
