// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOSSL

/// Gets a URL with AsyncHTTPClient as a user of the library would, and writes the body to standard output.
@main
struct AsyncHTTPClientFetch: AsyncParsableCommand {
    @Option var ca: String?
    @Option var certificate: String?
    @Option var key: String?
    @Option var user: String?
    @Option var password: String?
    @Option var token: String?
    @Option var proxy: String?
    @Option var proxyUser: String?
    @Option var proxyPassword: String?
    @Option var range: String?
    @Option(help: "HOST=ADDRESS")
    var address: String?

    @Argument var url: String

    func run() async throws {
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: try configuration())
        var request = HTTPClientRequest(url: url)
        // The library supports Basic only, and sends it preemptively.
        if let user, let password { request.setBasicAuth(username: user, password: password) }
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let range { request.headers.add(name: "Range", value: "bytes=\(range)") }
        do {
            let response = try await client.execute(request, timeout: .seconds(8))
            guard 200..<300 ~= response.status.code else { throw FetchError.status(response.status.code) }
            let body = try await response.body.collect(upTo: 1 << 20)
            FileHandle.standardOutput.write(Data(body.readableBytesView))
            try await client.shutdown()
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    private func configuration() throws -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let ca { tls.trustRoots = .file(ca) }
        if let certificate, let key {
            tls.certificateChain = try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
            tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .follow(max: 20, allowCycles: false),
            decompression: .enabled(limit: .ratio(100)))
        // By default, it retries until the request times out, even if a certificate was refused.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.proxy = try proxy.map(proxy)
        if let pair = address?.split(separator: "="), pair.count == 2 {
            configuration.dnsOverride[String(pair[0])] = String(pair[1])
        }
        return configuration
    }

    private func proxy(_ text: String) throws -> HTTPClient.Configuration.Proxy {
        guard let url = URL(string: text), let host = url.host(), let port = url.port else { throw FetchError.proxy }
        switch url.scheme {
        case "socks5h": return .socksServer(host: host, port: port)
        case "http":
            guard let proxyUser, let proxyPassword else { return .server(host: host, port: port) }
            return .server(
                host: host, port: port, authorization: .basic(username: proxyUser, password: proxyPassword))
        default: throw FetchError.proxy
        }
    }
}

enum FetchError: Error {
    case status(UInt)
    /// A proxy that the library does not support.
    case proxy
}
