// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import Challenges
import HTTPTypes
import NIOCore
import TestServer
import Testing
@testable import Countersign
import EssentialFoundation

@Suite struct UnixSocketTests {
    /// Listens at a socket path and forwards bytes to a port of 127.0.0.1.
    private func withSocket(to port: Int, _ body: (String) async throws -> Void) async throws {
        let path = "/tmp/countersign-\(UUID())"
        let server = try await TestServer.start(
            on: SocketAddress(unixDomainSocketPath: path), repeating: [.forward(to: port)])
        let result: Result<Void, any Error>
        do { result = .success(try await body(path)) } catch { result = .failure(error) }
        await server.stop()
        try? FileManager.default.removeItem(atPath: path)
        try result.get()
    }

    private func target(_ url: String, to path: String) throws -> [HostEndpoint: ConnectTarget] {
        [try HostEndpoint(of: url): .unixSocket(URL(filePath: path))]
    }

    /// The host of the URL determines the server's name and the credentials; a configured proxy is not used.
    @Test(
        "Origins are reached through a Unix socket, and a proxy is not used",
        arguments: [LabServer.Kind.plainHTTP, .goodHTTPS, .clientCertificateRequired], [false, true])
    func reached(kind: LabServer.Kind, hasProxy: Bool) async throws {
        try await withLab { lab async throws in
            try await withSocket(to: lab[kind].port) { path async throws in
                let url = "\(lab[kind].url.hasPrefix("https") ? "https" : "http")://localhost/"
                let recorder = Recorder()
                try await withSession(
                    lab, handlers: [.clientCertificate: .closure { _ in .use(.identity(lab.clientIdentity)) }],
                    proxy: hasProxy ? Proxy("http://127.0.0.1:1") : nil, recorder: recorder,
                    change: { $0.connectTargets = (try? target(url, to: path)) ?? [:] }
                ) { session async throws in
                    for _ in 0..<2 { #expect(try await session.text(url).status == 200) }
                }
                #expect(recorder.connections.count == 1)
                #expect(recorder.connections.allSatisfy { $0.proxy == nil })
            }
        }
    }

    @Test("The certificate is verified for the host of the URL") func hostName() async throws {
        try await withLab { lab async throws in
            try await withSocket(to: lab[.goodHTTPS].port) { path async throws in
                try await withSession(
                    lab, change: { $0.connectTargets = (try? target("https://a.test/", to: path)) ?? [:] }
                ) { session async throws in
                    do {
                        _ = try await session.text("https://a.test/")
                        Issue.record("trusted")
                    } catch SessionError.trust(.notTrusted(let endpoint, _, _)) {
                        #expect(endpoint.description == "a.test:443")
                    }
                }
            }
        }
    }

    @Test(
        "A missing or unusable socket is an error with its reason",
        arguments: [
            ("/tmp/countersign-is-not-there", .notFound), ("/etc/passwd/socket", .notFound), ("/etc/passwd", .refused),
            ("/tmp/" + String(repeating: "x", count: 200), .pathTooLong),
        ] as [(String, SessionError.SocketFailure)])
    func failures(path: String, failure: SessionError.SocketFailure) async throws {
        var configuration = HTTPSession.Configuration()
        configuration.connectTargets = try target("http://a.test/", to: path)
        try await withSession(configuration) { session async throws in
            do {
                _ = try await session.text("http://a.test/")
                Issue.record("connected")
            } catch SessionError.connection(.cannotConnectToSocket(let named, let reason)) {
                #expect(named == path && reason == failure)
            }
        }
    }

    @Test(
        "A target that is not a file of this machine is refused, without its user and password",
        arguments: ["https://mary:secret@a.example/socket", "file://a.example/socket", "socket"])
    func foreignURLs(text: String) async throws {
        var configuration = HTTPSession.Configuration()
        configuration.connectTargets = [
            try HostEndpoint(of: "http://a.test/"): .unixSocket(try #require(URL(string: text)))
        ]
        try await withSession(configuration) { session async throws in
            do {
                _ = try await session.text("http://a.test/")
                Issue.record("connected")
            } catch SessionError.request(.invalidURL(let named, .notAFile)) {
                #expect(!named.contains("secret"))
            }
        }
    }
}
