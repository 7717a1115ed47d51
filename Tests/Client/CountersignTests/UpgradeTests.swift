// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Challenges
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import Countersign

/// Redirects that keep the credential, and the errors of those that do not.
@Suite struct UpgradeTests {
    @Test(
        "A redirect keeps the credential for the same origin, and for the same host over TLS",
        arguments: [
            (from: "http://h.test/", to: "https://h.test/", isKept: true),
            (from: "http://h.test/", to: "https://H.TEST:443/a", isKept: true),
            (from: "http://h.test:8080/", to: "https://h.test:8080/", isKept: true),
            (from: "http://h.test:80/", to: "https://h.test:80/", isKept: true),
            (from: "https://h.test/a", to: "https://h.test/b", isKept: true),
            (from: "http://h.test/", to: "https://h.test:8443/", isKept: false),
            (from: "http://h.test:8080/", to: "https://h.test/", isKept: false),
            (from: "https://h.test/", to: "http://h.test/", isKept: false),
            (from: "https://h.test:8080/", to: "http://h.test:8080/", isKept: false),
            (from: "https://h.test/", to: "https://h.test:8443/", isKept: false),
            (from: "http://h.test/", to: "http://h.test:443/", isKept: false),
            (from: "http://h.test/", to: "https://www.h.test/", isKept: false),
            (from: "http://www.h.test/", to: "https://h.test/", isKept: false),
        ])
    func upgrades(from: String, to: String, isKept: Bool) throws {
        let (origin, destination) = (try HTTPURL(from), try HTTPURL(to))
        #expect(destination.mayHaveCredentials(of: origin) == isKept)
        var request = SessionRequest.get(from).credential(.token(Secret("t"))).header(.authorization, "Basic x")
        request.explicitFields[.cookie] = "a=b"
        let next = request.redirected(to: destination, from: origin, by: .found)
        #expect((next.credential != nil) == isKept)
        #expect((next.explicitFields[.authorization] != nil) == isKept)
        #expect((next.explicitFields[.cookie] != nil) == isKept)
        #expect((next.withheldOrigin == nil) == isKept)
    }

    @Test(
        "A credential of the configuration for http is for the same host over TLS too",
        arguments: [
            (key: "http://h.test", url: "https://h.test/", isFound: true),
            (key: "http://h.test/v1/", url: "https://h.test/v1/a", isFound: true),
            (key: "http://h.test/v1/", url: "https://h.test/v2/a", isFound: false),
            (key: "http://h.test:8080", url: "https://h.test:8080/", isFound: true),
            (key: "http://h.test:8080", url: "https://h.test/", isFound: false),
            (key: "http://h.test", url: "https://h.test:8443/", isFound: false),
        ])
    func configuration(key: String, url: String, isFound: Bool) throws {
        let table: OriginCredentials = [key: .token(Secret("plain"))]
        let other: OriginCredentials = [key: .token(Secret("plain")), url: .token(Secret("secure"))]
        let target = try HTTPURL(url)
        #expect((table.credential(for: target) != nil) == isFound)
        #expect(other.credential(for: target) == .token(Secret("secure")))
    }

    @Test(
        "The error at another origin says for which origin the credential is",
        arguments: [HTTPResponse.Status.unauthorized, .notFound])
    func withheld(status: HTTPResponse.Status) async throws {
        let other = try await ScriptedServer.start { _ in
            .init(status, status == .unauthorized ? [.wwwAuthenticate: "Basic realm=r"] : [:])
        }
        let origin = try await ScriptedServer.start { _ in
            .init(.found, [.location: "http://localhost:\(other.port)/"])
        }
        let url = "http://localhost:\(origin.port)/"
        try await withSession(HTTPSession.Configuration(), stopping: [origin, other]) { session async throws in
            for request in [
                SessionRequest.get(url).credential(.token(Secret("t"))), .get(url).header(.authorization, "Bearer t"),
                .get(url.replacing("://", with: "://mary:t@")),
            ] {
                let error = await #expect(throws: SessionError.self) {
                    try await session.send(request).expecting(.successful)
                }
                let sentence =
                    "The credential that was given is for http://localhost:\(origin.port) alone, and the redirect leads to http://localhost:\(other.port)."
                #expect(error?.explanation.reason.contains(sentence) == true)
            }
            let error = await #expect(throws: SessionError.self) { try await session.get(url).expecting(.successful) }
            #expect(error?.explanation.reason.contains("alone") == false)
        }
    }

    @Test("The error after a redirect back says that a redirect removed the credential") func back() async throws {
        let origins = NIOLockedValueBox("")
        let other = try await ScriptedServer.start { _ in
            .init(.found, [.location: origins.withLockedValue { $0 } + "back"])
        }
        let origin = try await ScriptedServer.start { request in
            request.head.path == "/back"
                ? .init(.forbidden) : .init(.found, [.location: "http://localhost:\(other.port)/"])
        }
        let url = "http://localhost:\(origin.port)/"
        origins.withLockedValue { $0 = url }
        try await withSession(HTTPSession.Configuration(), stopping: [origin, other]) { session async throws in
            let error = await #expect(throws: SessionError.self) {
                try await session.send(.get(url).credential(.token(Secret("t")))).expecting(.successful)
            }
            let sentence = "A redirect through another origin removed the credential of localhost:\(origin.port)."
            #expect(error?.explanation.reason.contains(sentence) == true)
        }
    }

    @Test("The error at another origin that got its own credential does not say that one was withheld")
    func otherCredential() async throws {
        let other = try await ScriptedServer.start { request in
            request.head.headerFields[.authorization] == nil
                ? .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"]) : .init(.notFound)
        }
        let origin = try await ScriptedServer.start { _ in
            .init(.found, [.location: "http://localhost:\(other.port)/"])
        }
        var configuration = HTTPSession.Configuration()
        configuration.handlers[.basic] = .closure { _ in .use(.password(user: "mary", password: Secret("s"))) }
        try await withSession(configuration, stopping: [origin, other]) { session async throws in
            let request = SessionRequest.get("http://localhost:\(origin.port)/").credential(.token(Secret("t")))
            let error = await #expect(throws: SessionError.self) {
                try await session.send(request).expecting(.successful)
            }
            #expect(error?.explanation.reason.contains("alone") == false)
        }
    }
}
