// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import ServiceDiscovery

/// The task that the arguments select.
enum Work: Sendable {
    case lookUp(ServiceInstance, timeout: Duration)
    case announce(ServiceAnnouncement)
    case announceInput
    case browse(ServiceType, resolves: Bool)
    case browseAll(resolves: Bool)

    init(_ arguments: DiscoverProgram) throws {
        if arguments.announceInput {
            self = .announceInput
        } else if let name = arguments.announce, let type = arguments.type {
            var attributes = ServiceAttributes()
            for pair in arguments.txt {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                try attributes.set(parts[0], to: parts.count > 1 ? .bytes(Array(parts[1].utf8)) : .none)
            }
            self = .announce(
                ServiceAnnouncement(
                    name: name, type: try ServiceType(type), subtypes: arguments.subtype, port: arguments.port ?? 0,
                    attributes: attributes))
        } else if let text = arguments.type {
            if let instance = try? ServiceInstance(text) {
                self = .lookUp(instance, timeout: .seconds(arguments.timeout ?? 5))
            } else {
                self = .browse(try ServiceType(text), resolves: arguments.resolve)
            }
        } else {
            self = .browseAll(resolves: arguments.resolve)
        }
    }

    var isLookup: Bool { if case .lookUp = self { true } else { false } }

    /// - Returns: Whether the program exits afterwards.
    func run(_ discovery: ServiceDiscovery, _ report: Report) async throws -> Bool {
        switch self {
        case .lookUp(let instance, let timeout):
            try await Self.lookUp(instance, timeout, discovery, report)
            return true
        case .announce(let service):
            report.announced(try await discovery.announce(service).name, service)
            return false
        case .announceInput:
            try await Self.announceInput(discovery, report)
            return true
        case .browse(let type, let resolves):
            try await Self.browse(type, resolves: resolves, discovery, report)
            return true
        case .browseAll(let resolves):
            var known: Set<ServiceType> = []
            try await withThrowingTaskGroup(of: Void.self) { group in
                for try await type in discovery.browseTypes() where known.insert(type).inserted && known.count <= 256 {
                    report.type(type)
                    group.addTask { try await Self.browse(type, resolves: resolves, discovery, report) }
                }
            }
            return true
        }
    }

    /// Resolves a service, and prints it together with services of the same name on this computer's other networks.
    private static func lookUp(
        _ instance: ServiceInstance, _ timeout: Duration, _ discovery: ServiceDiscovery, _ report: Report
    ) async throws {
        let browsing = Task {
            var namesakes: Set<ServiceInstance> = []
            for try await event in discovery.browse(instance.type) {
                guard case .found(let other) = event, other.name.lowercased() == instance.name.lowercased() else {
                    continue
                }
                namesakes.insert(other)
            }
            return namesakes
        }
        defer { browsing.cancel() }
        let first = try await discovery.resolve(instance, timeout: timeout)
        report.resolved(first)
        // A responder waits up to 120 ms before an answer that other hosts may also give (RFC 6762 section 6).
        try await Task.sleep(for: .milliseconds(200))
        browsing.cancel()
        for other in (try? await browsing.value) ?? [] where other.interface != first.instance.interface {
            // A service that has disappeared meanwhile is not an error.
            if let service = try? await discovery.resolve(other, timeout: .seconds(1)) { report.resolved(service) }
        }
    }

    private static func announceInput(_ discovery: ServiceDiscovery, _ report: Report) async throws {
        let lines = AsyncStream<String> { continuation in
            // Reading blocks, so it has a separate thread.
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for await line in lines where !line.isEmpty {
                let service = try AnnouncementLine.service(line)
                group.addTask { report.announced(try await discovery.announce(service).name, service) }
            }
            try await group.waitForAll()
        }
    }

    private static func browse(
        _ type: ServiceType, resolves: Bool, _ discovery: ServiceDiscovery, _ report: Report
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var resolving = 0
            for try await event in discovery.browse(type) {
                report.event(event)
                guard resolves, case .found(let instance) = event else { continue }
                // Limits concurrent resolution, because a network can report very many services.
                if resolving >= 64 { try await group.next() } else { resolving += 1 }
                group.addTask {
                    if let service = try? await discovery.resolve(instance) { report.resolved(service) }
                }
            }
        }
    }
}
