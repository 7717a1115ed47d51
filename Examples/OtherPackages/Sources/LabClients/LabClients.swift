// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AsyncHTTPClient
import ChallengeLab
import Foundation
import NIOSSL

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Checks AsyncHTTPClient and URLSession, in the place of your own code, with the servers of the lab.
@main struct LabClients {
    static func main() async throws {
        try await Lab.withServers([.clientCertificateRequired, .expired, .wrongHost, .selfSigned]) { lab in
            try await withClient(lab) { client in
                let url = lab.url(.clientCertificateRequired)
                print("client certificate:", try await client.execute(.init(url: url), timeout: .seconds(10)).status)
                for server in lab.servers where server.kind != .clientCertificateRequired {
                    let isRefused = await fails {
                        try await client.execute(.init(url: server.url), timeout: .seconds(3))
                    }
                    print("\(server.kind): refused \(isRefused), requests \(lab.requestCount(server.kind))")
                }
            }
        }
        try await Lab.withServers([.proxyBasic, .goodHTTPS]) { lab in
            let proxy = HTTPClient.Configuration.Proxy.server(
                host: lab[.proxyBasic].host, port: lab[.proxyBasic].port,
                authorization: .basic(username: Lab.credentials.user, password: Lab.credentials.password))
            try await withClient(lab, proxy: proxy) { client in
                let request = HTTPClientRequest(url: lab.url(.goodHTTPS))
                print("through a proxy:", try await client.execute(request, timeout: .seconds(10)).status)
            }
        }
        // URLSession on Linux trusts only the system's authorities, so that the lab's http servers are of use.
        try await Lab.withServers([.redirect, .truncatedBody]) { lab in
            guard let page = URL(string: lab.url(.redirect)) else { return }
            let (body, _) = try await URLSession.shared.data(from: page)
            print("redirect:", String(decoding: body, as: UTF8.self), terminator: "")
            guard let part = URL(string: lab.url(.truncatedBody)) else { return }
            print("truncated body: refused", await fails { try await URLSession.shared.data(from: part) })
        }
    }

    /// Calls a closure with a client that trusts the lab's authority and has its client identity.
    private static func withClient(
        _ lab: Lab, proxy: HTTPClient.Configuration.Proxy? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (HTTPClient) async throws -> Void
    ) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(lab.pemEncodedAuthority))
        let identity = lab.clientIdentity
        tls.certificateChain = try NIOSSLCertificate.fromPEMBytes(identity.pemEncodedChain).map { .certificate($0) }
        tls.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: identity.pemEncodedPrivateKey, format: .pem))
        let configuration = HTTPClient.Configuration(tlsConfiguration: tls, proxy: proxy)
        try await HTTPClient.withHTTPClient(configuration: configuration) { client in try await body(client) }
    }

    private static func fails<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async -> Bool {
        do {
            _ = try await body()
            return false
        } catch {
            return true
        }
    }
}
