// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ChallengeLab
import Countersign
import ErrorExplanations
import EssentialFoundation
import Testing

@Suite struct ClientIdentityTests {
    @Test(
        "The handler is asked once for an identity if the server requests a certificate",
        arguments: [LabServer.Kind.clientCertificateRequired, .clientCertificateWanted])
    func question(kind: LabServer.Kind) async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let handler = recorder.handler { _ in .use(.identity(lab.clientIdentity)) }
            try await withSession(lab, handlers: [.clientCertificate: handler], recorder: recorder) {
                session async throws in
                _ = try await session.text(lab[.goodHTTPS].url)
                #expect(recorder.handlerChallenges.isEmpty)
                for _ in 0..<2 { #expect(try await session.text(lab[kind].url).status == 200) }
            }
            #expect(recorder.handlerChallenges.map(\.space.method) == [.clientCertificate])
            #expect(recorder.connections.last?.tls?.clientCertificate == lab.clientIdentity.certificate)
        }
    }

    @Test("Without an identity, a server that requests one responds, and a server that requires one refuses")
    func noIdentity() async throws {
        try await withLab { lab async throws in
            try await withSession(lab) { session async throws in
                #expect(try await session.text(lab[.clientCertificateWanted].url).status == 200)
                do {
                    _ = try await session.text(lab[.clientCertificateRequired].url)
                    Issue.record("served without a certificate")
                } catch SessionError.tls(.clientCertificateRequired(let endpoint, _)) {
                    #expect(endpoint.port == lab[.clientCertificateRequired].port)
                }
            }
        }
    }

    @Test(
        "If a requested certificate was not presented, the error of every 4xx says so",
        arguments: [LabServer.Kind.clientCertificateWanted, .goodHTTPS], [true, false])
    func refusedWithoutIdentity(kind: LabServer.Kind, hasIdentity: Bool) async throws {
        try await withLab { lab async throws in
            let handler = Recorder().handler { _ in hasIdentity ? .use(.identity(lab.clientIdentity)) : .performDefault
            }
            try await withSession(lab, handlers: [.clientCertificate: handler]) { session async throws in
                let url = lab[kind].url + "/missing"
                let error = await #expect(throws: SessionError.self) {
                    try await session.get(url).expecting(.successful)
                }
                let says = "The server asked for a client certificate issued by"
                let isMissing = kind == .clientCertificateWanted && !hasIdentity
                let explanation = try #require(error?.explanation)
                #expect(explanation.code == "response.unexpected-status")
                #expect(explanation.reason.contains(says) == isMissing, "\(explanation)")
                #expect(explanation.advice.contains("present an identity") == isMissing)
                #expect(explanation.reason.contains("The body begins: \"There is no "))
                let typeError = await #expect(throws: SessionError.self) {
                    try await session.get(url).expecting(type: "application/json")
                }
                let typed = try #require(typeError?.explanation)
                #expect(typed.code == "response.unexpected-content-type")
                #expect(typed.message.contains("answered with status 404 and "), "\(typed)")
                #expect(typed.reason.contains(says) == isMissing, "\(typed)")
                #expect(typed.advice.contains("present an identity") == isMissing)
            }
        }
    }

    @Test(
        "If a requested certificate was not presented, the error of a proxy's 4xx says so",
        arguments: ["https://a.test/", "http://a.test/"])
    func proxyRefusalWithoutIdentity(url: String) async throws {
        try await withLab { lab async throws in
            let authority = try CertificateAuthority(name: "Proxy Root", now: Date())
            let proxy = try await ScriptedServer.startProxy(
                presenting: try authority.issue(.server(names: ["localhost"]), now: Date()),
                naming: [lab.authority], behind: nil)
            let trust = TrustPolicy(anchors: .only([authority.certificate]))
            try await withSession(lab, proxy: Proxy("https://localhost:\(proxy.port)"), trust: trust) {
                session async throws in
                // The proxy connects only to loopback.
                let error = await #expect(throws: SessionError.self) {
                    _ = try await session.get(url).expecting(.successful)
                }
                switch error {
                case .proxy(.refused(_, _, 403, _)), .response(.unexpectedStatus): break
                default: Issue.record("\(String(describing: error))")
                }
                #expect(
                    error?.explanation.reason.hasPrefix("The proxy asked for a client certificate issued by") == true)
                #expect(error?.explanation.advice.contains("present an identity") == true)
            }
            await proxy.stop()
        }
    }

    @Test("A refused identity of another authority is not remembered") func foreignAuthority() async throws {
        try await withLab { lab async throws in
            try await withLab { other async throws in
                let recorder = Recorder()
                let handler = recorder.handler { _ in .use(.identity(other.clientIdentity)) }
                try await withSession(lab, handlers: [.clientCertificate: handler], recorder: recorder) {
                    session async throws in
                    for _ in 0..<2 {
                        do {
                            _ = try await session.text(lab[.clientCertificateRequired].url)
                            Issue.record("a foreign identity was accepted")
                        } catch SessionError.tls(.clientCertificateRefused) {
                            continue
                        }
                    }
                }
                #expect(recorder.handlerChallenges.count == 2)
            }
        }
    }

    /// The session forgets an identity that a TLS proxy has refused, so it asks the handler again.
    @Test("An identity that a TLS proxy refuses is not remembered, and the handler is asked again")
    func refusingProxy() async throws {
        try await withLab { lab async throws in
            try await withLab { other async throws in
                let authority = try CertificateAuthority(name: "Proxy Root", now: Date())
                let proxy = try await ScriptedServer.startProxy(
                    presenting: try authority.issue(.server(names: ["localhost"]), now: Date()),
                    naming: [lab.authority], behind: nil)
                let recorder = Recorder()
                let handler = recorder.handler { _ in
                    .use(.identity(recorder.handlerChallenges.count == 1 ? other.clientIdentity : lab.clientIdentity))
                }
                let trust = TrustPolicy(anchors: .only([lab.authority, authority.certificate]))
                try await withSession(
                    lab, handlers: [.clientCertificate: handler], proxy: Proxy("https://localhost:\(proxy.port)"),
                    trust: trust, recorder: recorder
                ) { session async throws in
                    do {
                        _ = try await session.text(lab[.goodHTTPS].url)
                        Issue.record("a foreign identity was accepted")
                    } catch SessionError.tls(.clientCertificateRefused(let endpoint, _, _, _)) {
                        #expect(endpoint.port == proxy.port)
                    }
                    #expect(try await session.text(lab[.goodHTTPS].url).status == 200)
                }
                #expect(recorder.handlerChallenges.count == 2)
                #expect(recorder.handlerChallenges.allSatisfy { $0.space.role == .proxy })
                await proxy.stop()
            }
        }
    }

    @Test("Server trust and client identity are asked for in turn in one handshake")
    func trustAndIdentity() async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let trust = recorder.handler { challenge in
                guard case .serverTrust(let chain, _) = challenge.statement else { return .performDefault }
                return .use(.serverTrust(chain))
            }
            let identity = recorder.handler { _ in .use(.identity(lab.clientIdentity)) }
            try await withSession(
                lab, handlers: [.serverTrust: trust, .clientCertificate: identity], recorder: recorder
            ) { session async throws in
                #expect(try await session.text(lab[.untrustedAndClientCertificateRequired].url).status == 200)
            }
            #expect(recorder.handlerChallenges.map(\.space.method) == [.serverTrust, .clientCertificate])
            #expect(recorder.connections.count == 1)
        }
    }

    @Test("The handler is not asked for an identity while the server is not trusted")
    func untrustedServer() async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let handler = recorder.handler { _ in .use(.identity(lab.clientIdentity)) }
            try await withSession(lab, handlers: [.clientCertificate: handler], recorder: recorder) {
                session async throws in
                await #expect(throws: SessionError.self) {
                    try await session.text(lab[.untrustedAndClientCertificateRequired].url)
                }
            }
            #expect(recorder.handlerChallenges.isEmpty)
        }
    }

    @Test("A password is not an answer to a request for a client certificate") func unsuitableCredential() async throws
    {
        try await withLab { lab async throws in
            let handler = Recorder().handler { _ in .use(.password(user: "u", password: Secret("p"))) }
            try await withSession(lab, handlers: [.clientCertificate: handler]) { session async throws in
                do {
                    _ = try await session.text(lab[.clientCertificateRequired].url)
                    Issue.record("served")
                } catch SessionError.authentication(.unanswerableChallenge(let space, _)) {
                    #expect(space.method == .clientCertificate)
                }
            }
        }
    }
}
