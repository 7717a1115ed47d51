// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import WebApp
import EssentialFoundation
import Testing

/// The web application on a free port, with an authenticated browser.
struct WebScene: Sendable {
    let server: WebServer
    /// The configuration folder.
    let home: String
    let cookie: String
    let formToken: String
    /// The used token of the redirecting file.
    let token: String

    var port: Int { server.origin.port }

    /// Runs a closure with the application, and stops it.
    static func run<Value: Sendable>(
        settings: String? = nil, _ body: @Sendable (WebScene) async throws -> Value
    ) async throws -> Value {
        let home = FileManager.default.temporaryDirectory.appending(
            path: "web-test-\(UInt64.random(in: .min ... .max))")
        try FileManager.default.createDirectory(
            at: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: home) }
        if let settings {
            try Data("{\"settings\": \(settings)}".utf8).write(to: home.appending(path: "web.json"))
        }
        // Another test may use the port before the server listens.
        for _ in 0..<5 {
            let server = try await WebServer(port: 0, environment: ["COUNTERSIGN_HOME": home.path])
            let (files, opened) = AsyncStream.makeStream(of: LaunchFile.self)
            let running = Task {
                defer { opened.finish() }
                try await server.run { if let file = $0 { opened.yield(file) } }
            }
            defer { running.cancel() }
            for await file in files {
                let value = try await body(try await enter(server, by: file, home: home.path))
                running.cancel()
                try await running.value
                return value
            }
        }
        throw NotStarted()
    }

    private struct NotStarted: Error {}

    private static func enter(_ server: WebServer, by file: LaunchFile, home: String) async throws -> WebScene {
        let rights = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
        #expect(rights as? Int == 0o600)
        let page = String(decoding: try Data(contentsOf: URL(filePath: file.path)), as: UTF8.self)
        let token = page.value(after: "name=\"token\" value=\"") ?? ""
        let entrance = WebScene(server: server, home: home, cookie: "", formToken: "", token: token)
        let entered = try await entrance.send(.form("/open", ["token": token]))
        let cookie = entered.cookie ?? ""
        let inside = WebScene(server: server, home: home, cookie: cookie, formToken: "", token: token)
        let form = try await inside.send(.get("/fetch")).text.value(after: "name=\"form-token\" value=\"")
        return WebScene(server: server, home: home, cookie: cookie, formToken: form ?? "", token: token)
    }

    /// Sends a request with the headers of the application's page, unless the request changes them.
    func send(_ request: WebRequest) async throws -> RawResponse {
        try await RawConnection.open(to: port).answer(to: request.text(in: self))
    }

    /// Checks the status of a response.
    func expect(_ status: Int, for request: WebRequest, sourceLocation: SourceLocation = #_sourceLocation) async throws
    {
        let response = try await send(request)
        #expect(response.status == status, sourceLocation: sourceLocation)
    }

    // MARK: User actions

    /// Submits a form, and returns the page to which it leads.
    @discardableResult
    func submit(_ path: String, _ fields: [String: String] = [:]) async throws -> RawResponse {
        let response = try await send(.form(path, fields))
        guard response.status == 303, let place = response["location"] else { return response }
        return try await send(.get(place))
    }

    /// Waits until the page of a fetch contains a text.
    func page(of number: Int, with text: String) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(60)
        var page = ""
        while ContinuousClock.now < deadline {
            page = try await send(.get("/fetch/\(number)")).text
            if page.contains(text) { return page }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Missing(text: text, page: page)
    }

    /// Answers the question of a fetch.
    func answer(_ number: Int, _ fields: [String: String]) async throws {
        let page = try await page(of: number, with: "<dialog")
        let question = page.value(after: "name=\"question\" value=\"") ?? ""
        try await submit("/fetch/\(number)/answer", fields.merging(["question": question]) { own, _ in own })
    }

    struct Missing: Error {
        let text: String
        let page: String
    }
}

extension String {
    /// Returns the text between the given text and the next quotation mark.
    func value(after text: String) -> String? {
        firstRange(of: text).map { self[$0.upperBound...].prefix { $0 != "\"" } }.map(String.init)
    }
}
