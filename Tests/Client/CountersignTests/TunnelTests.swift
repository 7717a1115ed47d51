// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import TestServer
import Testing

/// Tunnels for connections without TLS, and connect targets.
@Suite struct TunnelTests {
    private static func proxy(_ server: LabServer, _ tunneling: Proxy.Tunneling) throws -> Proxy {
        var proxy = try Proxy(server.url)
        proxy.tunneling = tunneling
        if let credentials = server.credentials {
            proxy.credential = .password(user: credentials.user, password: Secret(credentials.password))
            proxy.preemptiveMethod = .basic
        }
        return proxy
    }

    @Test(
        "Plain origins are reached through a tunnel if the proxy's configuration requires it",
        arguments: [(Proxy.Tunneling.everyOrigin, 1), (.encryptedOrigins, 3)])
    func plainOrigins(tunneling: Proxy.Tunneling, requests: Int) async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let before = lab.requestCount(.proxyBasic)
            let proxy = try Self.proxy(lab[.proxyBasic], tunneling)
            try await withSession(lab, proxy: proxy, recorder: recorder) { session async throws in
                for _ in 0..<3 { #expect(try await session.text(lab[.plainHTTP].url).status == 200) }
            }
            // One CONNECT serves all requests; without a tunnel, the proxy sees each request.
            #expect(lab.requestCount(.proxyBasic) - before == requests)
            #expect(recorder.connections.count == 1)
        }
    }

    @Test("The proxy's credential is not sent through the tunnel to a plain origin")
    func proxyCredential() async throws {
        try await withLab { lab async throws in
            let origin = try await ScriptedServer.start { request in
                request.head.headerFields[.proxyAuthorization] == nil ? .init(.ok) : .init(.badRequest)
            }
            let proxy = try Self.proxy(lab[.proxyBasic], .everyOrigin)
            try await withSession(lab, proxy: proxy) { session async throws in
                #expect(try await session.text("http://localhost:\(origin.port)/").status == 200)
            }
            await origin.stop()
        }
    }

    @Test("A proxy that does not answer CONNECT times out") func silentProxy() async throws {
        try await TestServer.with([[.receiveHead, .receiveRest]]) { server async throws in
            let proxy = try Proxy("http://127.0.0.1:\(server.port)")
            var configuration = HTTPSession.Configuration(proxy: proxy)
            configuration.handshakeTimeout = .milliseconds(200)
            try await withSession(configuration) { session async throws in
                do {
                    _ = try await session.text("https://a.test/")
                    Issue.record("nothing was thrown")
                } catch SessionError.limit(.timedOut(.proxy(proxy.endpoint), .response, .milliseconds(200), .handshake))
                {
                }
            }
        }
    }

    @Test("A connect target redirects connections to another host and port") func connectTarget() async throws {
        let origin = try await ScriptedServer.start { request in
            request.head.authority == "a.test" ? .init(.ok) : .init(.badRequest)
        }
        var configuration = HTTPSession.Configuration()
        let destination = HostEndpoint(host: try HostName("localhost"), port: origin.port)
        configuration.connectTargets = [HostEndpoint(host: try HostName("a.test"), port: 80): .endpoint(destination)]
        let session = HTTPSession(configuration)
        #expect(try await session.text("http://a.test/").status == 200)
        // The connect target does not apply to another port.
        await #expect(throws: SessionError.self) { try await session.text("http://a.test:81/") }
        await session.close()
        await origin.stop()
    }

    @Test("A connect target behind a proxy is reached through a tunnel")
    func connectTargetThroughProxy() async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let destination = HostEndpoint(host: try HostName("localhost"), port: lab[.plainHTTP].port)
            let connectTargets: [HostEndpoint: ConnectTarget] = [
                HostEndpoint(host: try HostName("a.test"), port: 80): .endpoint(destination)
            ]
            let proxy = try Self.proxy(lab[.proxyOpen], .encryptedOrigins)
            try await withSession(lab, proxy: proxy, recorder: recorder, change: { $0.connectTargets = connectTargets })
            {
                session async throws in
                #expect(try await session.text("http://a.test/").status == 200)
            }
            #expect(recorder.connections.map(\.endpoint.port) == [80])
        }
    }

    @Test(
        "Length fields of a successful CONNECT response are ignored (RFC 9110 section 9.3.6)",
        arguments: [
            ["Content-Length: 5"], ["Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked", "Content-Length: 5"],
            ["Content-Length: no number"],
        ])
    func lengths(fields: [String]) async throws {
        let server = try await TestServer.start([
            { wire in
                #expect(try await wire.head().hasPrefix("CONNECT a.test:80 "))
                try await wire.send("HTTP/1.1 200 Connection established")
                for field in fields { try await wire.send(field) }
                try await wire.send("")
                #expect(try await wire.head().hasPrefix("GET / "))
                try await wire.send("HTTP/1.1 200 OK", "Content-Length: 4", "", "good")
            }
        ])
        var proxy = try Proxy("http://localhost:\(server.port)")
        proxy.tunneling = .everyOrigin
        try await withSession(HTTPSession.Configuration(proxy: proxy)) { session async throws in
            #expect(try await session.text("http://a.test/") == (200, "good"))
        }
        await server.stop()
    }

    @Test(
        "Bytes after the response to CONNECT belong to the origin, such as the SETTINGS of cleartext HTTP/2",
        arguments: [0, 4, 9])
    func earlySettings(count: Int) async throws {
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        let server = try await TestServer.start([
            { wire in
                #expect(try await wire.head().hasPrefix("CONNECT a.test:80 "))
                let response = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
                try await wire.send(bytes: response + settings.prefix(count))
                try await Task.sleep(for: .milliseconds(20))
                try await wire.send(bytes: Array(settings.dropFirst(count)))
                // The preface, SETTINGS, WINDOW_UPDATE, the acknowledgement, and a part of HEADERS.
                _ = try await wire.bytes(count: 24 + 27 + 13 + 9 + 9)
                try await wire.send(bytes: [0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88])
                _ = try await wire.rest()
            }
        ])
        var proxy = try Proxy("http://localhost:\(server.port)")
        proxy.tunneling = .everyOrigin
        var configuration = HTTPSession.Configuration(proxy: proxy)
        configuration.httpVersions = .onlyHTTP2
        try await withSession(configuration) { session async throws in
            #expect(try await session.text("http://a.test/").status == 200)
        }
        await server.stop()
    }

    @Test("A second response after the response to CONNECT is an error, because it has no request")
    func earlyResponse() async throws {
        let server = try await TestServer.start([
            [
                .receiveHead,
                .send("HTTP/1.1 200 Connection established", "", "HTTP/1.1 200 OK", "Content-Length: 4", "", "evil"),
                .receiveHead, .send("HTTP/1.1 200 OK", "Content-Length: 4", "", "good"), .receiveRest,
            ]
        ])
        var proxy = try Proxy("http://localhost:\(server.port)")
        proxy.tunneling = .everyOrigin
        try await withSession(HTTPSession.Configuration(proxy: proxy)) { session async throws in
            await #expect(throws: SessionError.self) { try await session.text("http://a.test/") }
        }
        await server.stop()
    }

    @Test("Bytes after the response to CONNECT are dropped before a TLS handshake, which the client starts")
    func earlyBytesBeforeTLS() async throws {
        try await withLab { lab async throws in
            let origin = lab[.goodHTTPS]
            let server = try await TestServer.start([
                [
                    .receiveHead, .send("HTTP/1.1 200 Connection established", "", "evil!"),
                    .forward(to: origin.port),
                ]
            ])
            try await withSession(lab, proxy: try Proxy("http://localhost:\(server.port)")) { session async throws in
                #expect(try await session.text(origin.url).status == 200)
            }
            await server.stop()
        }
    }
}
