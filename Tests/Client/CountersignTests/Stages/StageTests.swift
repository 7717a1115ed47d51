// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import Countersign

@Suite("The stages of the pipeline in isolation")
struct StageTests {
    /// The environment of a stage, in which a list of answers replaces the rest of the pipeline.
    final class Scene: Sendable {
        enum Answer: Sendable {
            case response(Int, [(String, String)] = [])
            case failure(SessionError)
        }

        private let answers: NIOLockedValueBox<[Answer]>
        private let sent = NIOLockedValueBox<[(method: String, url: String, fields: HTTPFields)]>([])
        let session: HTTPSession

        init(_ answers: [Answer], _ change: (inout HTTPSession.Configuration) -> Void = { _ in }) {
            self.answers = NIOLockedValueBox(answers)
            var configuration = HTTPSession.Configuration()
            change(&configuration)
            session = HTTPSession(configuration)
        }

        /// The requests that the stage forwarded, as `GET http://a.test/`.
        var requests: [String] { sent.withLockedValue { $0.map { "\($0.method) \($0.url)" } } }

        var fields: [HTTPFields] { sent.withLockedValue { $0.map(\.fields) } }

        /// Sends a request through a stage.
        func send(_ request: SessionRequest, through stage: some RequestStage) async throws -> SessionResponse {
            let next: NextStage = { request in
                self.sent.withLockedValue {
                    $0.append((request.request.method.rawValue, request.url.description, request.request.headerFields))
                }
                let answer = self.answers.withLockedValue { $0.isEmpty ? nil : $0.removeFirst() }
                switch answer {
                case .response(let status, let fields):
                    var headerFields = HTTPFields()
                    for (name, value) in fields {
                        headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
                    }
                    return PipelineResponse(
                        response: SessionResponse(
                            status: .init(code: status), headerFields: headerFields, url: request.url.description,
                            connection: ConnectionReport(endpoint: request.url.endpoint)))
                case .failure(let error): throw error
                case nil:
                    Issue.record("The stage sent more requests than there are answers")
                    throw CancellationError()
                }
            }
            let url = try HTTPURL(request.url)
            let context = RequestContext(core: session.core)
            return try await stage.handle(PipelineRequest(.init(request, to: url), context), next: next).response
        }

        func finish() async {
            #expect(answers.withLockedValue { $0.count } == 0, "unused answers")
            await session.close()
        }
    }

    // MARK: Redirects

    @Test(
        "A redirect is followed with the method of RFC 9110 section 15.4",
        arguments: [
            (301, "POST", "GET"), (302, "POST", "GET"), (303, "PUT", "GET"), (307, "POST", "POST"),
            (308, "PUT", "PUT"), (301, "HEAD", "HEAD"), (303, "HEAD", "HEAD"),
        ])
    func redirectMethod(status: Int, method: String, expected: String) async throws {
        let scene = Scene([.response(status, [("Location", "/b")]), .response(200)])
        let request = SessionRequest(url: "http://a.test/a", method: try #require(HTTPRequest.Method(rawValue: method)))
        _ = try await scene.send(request, through: RedirectStage())
        #expect(scene.requests == ["\(method) http://a.test/a", "\(expected) http://a.test/b"])
        await scene.finish()
    }

    @Test("A redirect to another origin removes all fields that identify the user")
    func redirectToAnotherOrigin() async throws {
        let scene = Scene([.response(302, [("Location", "http://b.test/")]), .response(200)])
        var request = SessionRequest(url: "http://a.test/")
        request.headerFields = [.authorization: "Basic eA==", .accept: "text/plain"]
        _ = try await scene.send(request, through: RedirectStage())
        #expect(scene.fields.last == [.accept: "text/plain"])
        await scene.finish()
    }

    @Test("Redirects end at the limit, and a loop is reported")
    func redirectBounds() async throws {
        let endless = (1...3).map { Scene.Answer.response(302, [("Location", "/\($0)")]) }
        let scene = Scene(endless) { $0.redirectLimit = 2 }
        await #expect(throws: SessionError.self) {
            try await scene.send(SessionRequest(url: "http://a.test/"), through: RedirectStage())
        }
        #expect(scene.requests.count == 3)
        let loop = Scene([.response(302, [("Location", "/")])])
        await #expect(throws: SessionError.self) {
            try await loop.send(SessionRequest(url: "http://a.test/"), through: RedirectStage())
        }
        await scene.finish()
        await loop.finish()
    }

    @Test("A redirect from https to http is refused unless the configuration allows it", arguments: [false, true])
    func redirectToPlainHTTP(isAllowed: Bool) async throws {
        let answers: [Scene.Answer] = [.response(302, [("Location", "http://a.test/")])]
        let scene = Scene(isAllowed ? answers + [.response(200)] : answers) {
            $0.allowsRedirectsToPlainHTTP = isAllowed
        }
        let response = try? await scene.send(SessionRequest(url: "https://a.test/"), through: RedirectStage())
        #expect((response?.status == .ok) == isAllowed)
        await scene.finish()
    }

    @Test(
        "The response has the fragment of the request or of the last redirect",
        arguments: [("/b", "http://a.test/b#one"), ("/b#two", "http://a.test/b#two")])
    func fragment(location: String, url: String) async throws {
        let scene = Scene([.response(302, [("Location", location)]), .response(200)])
        let response = try await scene.send(SessionRequest(url: "http://a.test/a#one"), through: RedirectStage())
        #expect(response.url == url)
        await scene.finish()
    }

    // MARK: Retries

    @Test(
        "A request is retried for the policy's statuses and failures, and if its method allows it",
        arguments: [
            ("GET", Scene.Answer.response(503), true), ("POST", .response(503), false), ("GET", .response(404), false),
            ("GET", .failure(.cancelled(.sessionClosed)), false),
        ])
    func retries(method: String, first: Scene.Answer, isRepeated: Bool) async throws {
        let scene = Scene(isRepeated ? [first, .response(200)] : [first]) {
            $0.retries = SessionRetryPolicy(attempts: 3, firstDelay: .zero, maximumDelay: .zero)
        }
        let request = SessionRequest(url: "http://a.test/", method: try #require(HTTPRequest.Method(rawValue: method)))
        _ = try? await scene.send(request, through: RetryStage())
        await scene.finish()
    }

    @Test("Retries end after the policy's number of attempts")
    func retryBound() async throws {
        let scene = Scene(Array(repeating: .response(503), count: 3)) {
            $0.retries = SessionRetryPolicy(attempts: 2, firstDelay: .zero, maximumDelay: .zero)
        }
        let response = try await scene.send(SessionRequest(url: "http://a.test/"), through: RetryStage())
        #expect(response.status == .serviceUnavailable)
        await scene.finish()
    }

    // MARK: Cookies

    @Test("A cookie that a response sets is sent with the next request, but not to another origin")
    func cookies() async throws {
        let jar = CookieJar()
        let scene = Scene([.response(200, [("Set-Cookie", "a=1")]), .response(200), .response(200)])
        let stage = CookieStage(jar: jar)
        for url in ["http://a.test/", "http://a.test/", "http://b.test/"] {
            _ = try await scene.send(SessionRequest(url: url), through: stage)
        }
        #expect(scene.fields.map { $0[.cookie] } == [nil, "a=1", nil])
        await scene.finish()
    }
}
