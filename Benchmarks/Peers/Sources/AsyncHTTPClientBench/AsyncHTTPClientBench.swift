// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import AsyncHTTPClient
import Load
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends requests with AsyncHTTPClient, as SessionBench does with a session.
@main
struct AsyncHTTPClientBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "async-http-client-bench",
        abstract: "Make requests with AsyncHTTPClient, and print their cost.")

    @OptionGroup
    var options: LoadOptions

    func run() async throws {
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: try configuration())
        let upload = options.upload
        let load = Load(options) { url, body in
            var request = HTTPClientRequest(url: url)
            if let upload {
                request.method = .PUT
                request.body = .stream(Zeros(upload), length: .known(Int64(upload)))
            }
            let response = try await client.execute(request, timeout: .minutes(1))
            guard 200..<300 ~= response.status.code else { throw BenchError.status(response.status.code) }
            body.send(upload ?? 0)
            for try await part in response.body { body.receive(part) }
        }
        try await load.run()
        try await client.shutdown()
    }

    private func configuration() throws -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let ca = options.ca { tls.trustRoots = .file(ca) }
        if let identity = options.identity {
            tls.certificateChain = try NIOSSLCertificate.fromPEMFile(identity).map { .certificate($0) }
            tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: identity, format: .pem))
        }
        tls.minimumTLSVersion = .tlsv13
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.httpVersion = options.http == .http1 ? .http1Only : .automatic
        // The default limit is eight connections.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.concurrency
        for name in options.hostNames { configuration.dnsOverride[name] = "127.0.0.1" }
        return configuration
    }
}

enum BenchError: Error {
    case status(UInt)
}
