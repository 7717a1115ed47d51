// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import ServiceDiscovery
import Testing

@Suite("The library on a host", .serialized, .enabled(if: NamespaceNetwork.isPossible))
struct LibraryTests {
    @Test(
        "A service is announced, found, resolved, changed and withdrawn",
        arguments: ServiceDiscovery.Implementation.allCases)
    func everyWay(implementation: ServiceDiscovery.Implementation) async throws {
        guard implementation != .dnssd || DNSSD.isBuilt else { return }
        let network = try NamespaceNetwork(2)
        defer { network.tearDown() }
        if implementation != .own { _ = try await network.startAvahi("a") }
        // The test program runs again in a child process, because the bus address and the network are properties of a
        // process.
        let process = try network.start(
            "a",
            [
                "env", HostProcess.variable + "=" + implementation.rawValue, CommandLine.arguments[0],
                "--testing-library",
                "swift-testing", "--filter", "HostProcessTests",
            ])
        try await process.waits(for: "Test run with", seconds: 90)
        #expect(process.finish().contains("Test run with 1 test in 1 suite passed"), "\(process.text)")
        #expect(process.status == 0)
    }
}

/// The settings for running a host's test in another process.
enum HostProcess {
    static let variable = "COUNTERSIGN_TEST_WAY"

    static var implementation: ServiceDiscovery.Implementation? {
        #if canImport(dnssd)
            .dnssd
        #else
            ProcessInfo.processInfo.environment[variable].flatMap { ServiceDiscovery.Implementation(rawValue: $0) }
        #endif
    }
}

/// The tests in a process that ``LibraryTests`` starts; on macOS, the test process itself with mDNSResponder.
@Suite("The library in this process", .enabled(if: HostProcess.implementation != nil, "LibraryTests runs it"))
struct HostProcessTests {
    @Test("A service is announced, found, resolved, changed and withdrawn", .timeLimit(.minutes(1)))
    func service() async throws {
        let implementation = try #require(HostProcess.implementation)
        let discovery = try await ServiceDiscovery(implementation)
        #expect(discovery.implementation == implementation)
        var attributes = ServiceAttributes()
        try attributes.set("version", to: .bytes([1]))
        try attributes.set("flag", to: .none)
        let announcement = ServiceAnnouncement(
            name: "Büro, \(UInt32.random(in: 0 ... .max)).", type: try ServiceType("_csign-test._tcp"), port: 4711,
            attributes: attributes)
        let registration = try await discovery.announce(announcement)
        #expect(await registration.name == announcement.name)

        let events = discovery.browse(announcement.type)
        let instance = try #require(try await found(announcement.name, in: events))
        let service = try await discovery.resolve(instance)
        #expect(service.port == 4711 && !service.addresses.isEmpty)
        #expect(service.attributes == attributes)

        for value in [ServiceAttributes.Value.bytes([2]), .none] {
            try attributes.set("version", to: value)
            try await registration.update(attributes)
            while try await discovery.resolve(instance).attributes != attributes {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        try await registration.update(ServiceAttributes())
        while try await !discovery.resolve(instance).attributes.pairs.isEmpty {
            try await Task.sleep(for: .milliseconds(100))
        }

        await registration.withdraw()
        #expect(try await isLost(instance, in: events))
        // The name is available again.
        let again = try await discovery.announce(announcement)
        #expect(await again.name == announcement.name)
        #expect(try await found(announcement.name, in: events) == instance)
        await discovery.close()
        for try await _ in events {}
    }

    private func found(
        _ name: String, in events: AsyncThrowingStream<ServiceEvent, any Error>
    ) async throws -> ServiceInstance? {
        for try await case .found(let instance) in events where instance.name == name { return instance }
        return nil
    }

    private func isLost(
        _ instance: ServiceInstance, in events: AsyncThrowingStream<ServiceEvent, any Error>
    ) async throws -> Bool {
        for try await case .lost(instance) in events { return true }
        return false
    }
}
