// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOCore
import Testing

/// What leaves an origin with a request that should not: nothing.
@Suite struct LeakTests {
    @Test func aRedirectToAnotherOriginLeavesTheCredentialBehind() async throws {
        try await withLab { lab async throws in
            let credentials = try #require(lab[.basic].credentials)
            let recorder = Recorder()
            let handler = recorder.handler { _ in
                .use(.password(user: credentials.user, password: Secret(credentials.password)))
            }
            try await withSession(lab, handlers: [.basic: handler], recorder: recorder) { session async throws in
                #expect(try await session.text(lab[.basic].url("/")).status == 200)
                let destination = lab[.plainHTTP].url("/echo")
                let (status, echo) = try await session.text(lab[.basic].url("/redirect-to?url=" + destination))
                #expect(status == 200)
                #expect(!echo.lowercased().contains("authorization"))
            }
            #expect(recorder.preemptions == 1)
        }
    }

    @Test func aFieldForTheProxyNeverReachesAnOrigin() async throws {
        try await withLab { lab async throws in
            for proxy in [nil, try Proxy(lab[.proxyOpen].url)] {
                try await withSession(lab, proxy: proxy) { session async throws in
                    let request = Request(
                        url: lab[.goodHTTPS].url("/echo"), headerFields: [.proxyAuthorization: "Basic c2VjcmV0"])
                    let response = try await session.send(request)
                    let echo = String(buffer: try await response.body.collect(upTo: 1 << 16))
                    #expect(!echo.contains("c2VjcmV0"))
                }
            }
        }
    }

    @Test func explicitFieldsStayBehindToo() async throws {
        try await withLab { lab async throws in
            try await withSession(lab) { session async throws in
                let request = Request(
                    url: lab[.plainHTTP].url("/redirect-to?url=" + lab[.goodHTTPS].url("/echo")),
                    headerFields: [.authorization: "Bearer token", .cookie: "session=1", .accept: "text/plain"])
                let response = try await session.send(request)
                let echo = String(buffer: try await response.body.collect(upTo: 1 << 16)).lowercased()
                #expect(response.url == lab[.goodHTTPS].url("/echo"))
                #expect(!echo.contains("token") && !echo.contains("session=1"))
                #expect(echo.contains("text/plain"))
            }
        }
    }

    @Test func aProxyNeverSeesTheOriginsCredentialNorTheOriginTheProxys() async throws {
        try await withLab { lab async throws in
            let credentials = try #require(lab[.proxyBasic].credentials)
            let handler = Recorder().handler { challenge in
                guard challenge.space.role == .proxy else { return .performDefault }
                return .use(.password(user: credentials.user, password: Secret(credentials.password)))
            }
            for server in [LabServer.Kind.plainHTTP, .goodHTTPS] {
                try await withSession(lab, handlers: [.basic: handler], proxy: Proxy(lab[.proxyBasic].url)) {
                    session async throws in
                    let (status, echo) = try await session.text(lab[server].url("/echo"))
                    #expect(status == 200)
                    #expect(!echo.lowercased().contains("proxy-authorization"))
                }
            }
        }
    }
}
