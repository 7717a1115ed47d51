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

/// Sends requests with a session, as the other clients do in the comparison of scripts/bench/session.
@main
struct SessionBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session-bench", abstract: "Make requests with a session, and print their cost.")

    @OptionGroup
    var options: LoadOptions

    @Option(help: "The client's certificate and key, PEM.")
    var identity: String?

    func run() async throws {
        let session = HTTPSession(try configuration())
        let body = options.upload.map { length in SessionRequestBody.stream(length: length) { Zeros(length) } }
        let load = Load(options) { url in
            let request = SessionRequest(url: url, method: body == nil ? .get : .put, body: body)
            let response = try await session.send(request)
            guard response.status.kind == .successful else { throw BenchError.status(response.status.code) }
            var bytes = body?.length ?? 0
            for try await part in response.body { bytes += part.readableBytes }
            return bytes
        }
        try await load.run()
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
        if let identity {
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

enum BenchError: Error {
    case status(Int)
}
