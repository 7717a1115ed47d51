// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import Countersign
import EssentialFoundation
import HTTPTypes
import Identities
import Load
import NIOCore
import Synchronization

/// Sends requests with a session, as the other clients do in the comparison of scripts/bench/session.
@main
struct SessionBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session-bench", abstract: "Make requests with a session, and print their cost.")

    @OptionGroup
    var options: LoadOptions

    @Flag(help: "Count the exchanges and the connections, which takes time for each request.")
    var observe = false

    func run() async throws {
        var configuration = try configuration()
        let events = EventCounts()
        if observe { configuration.observer = events.note }
        let session = HTTPSession(configuration)
        let upload = options.upload.map { length in SessionRequestBody.stream(length: length) { Zeros(length) } }
        let load = Load(options) { url, body in
            let request = SessionRequest(url: url, method: upload == nil ? .get : .put, body: upload)
            let response = try await session.send(request)
            guard response.status.kind == .successful else { throw BenchError.status(response.status.code) }
            body.send(upload?.length ?? 0)
            for try await part in response.body { body.receive(part) }
        }
        try await load.run { observe ? events.counts : [:] }
        await session.close()
    }

    private func configuration() throws -> HTTPSession.Configuration {
        var trust = TrustPolicy()
        if let ca = options.ca {
            let bytes = Array(try Data(contentsOf: URL(filePath: ca)))
            trust.anchors = .only(try CertificateFile.certificates(in: bytes))
        }
        var configuration = HTTPSession.Configuration(trust: trust)
        configuration.tlsVersions = .onlyTLS13
        configuration.httpVersions = options.http == .http1 ? .onlyHTTP1 : .onlyHTTP2
        configuration.connectionLimits = .init(
            perRoute: options.concurrency, total: options.concurrency + options.hosts)
        if let identity = options.identity {
            let credential = Credential.identity(try Identity(contentsOf: URL(filePath: identity)))
            configuration.handlers[.clientCertificate] = .closure { _ in .use(credential) }
        }
        let loopback = HostEndpoint(host: try HostName("127.0.0.1"), port: options.port)
        for name in options.hostNames {
            configuration.connectTargets[HostEndpoint(host: try HostName(name), port: options.port)] = .endpoint(
                loopback)
        }
        return configuration
    }
}

/// The numbers of exchanges and of connections, which tell how often requests were sent again and connections replaced.
final class EventCounts: Sendable {
    private let exchanges = Atomic(0)
    private let connections = Atomic(0)

    var counts: [String: Int] {
        ["exchanges": exchanges.load(ordering: .relaxed), "connections": connections.load(ordering: .relaxed)]
    }

    func note(_ event: SessionEvent) {
        switch event.kind {
        case .exchanged: exchanges.wrappingAdd(1, ordering: .relaxed)
        case .connected: connections.wrappingAdd(1, ordering: .relaxed)
        default: break
        }
    }
}

enum BenchError: Error {
    case status(Int)
}
