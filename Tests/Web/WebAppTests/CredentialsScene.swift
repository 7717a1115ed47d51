// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import Keychains
@testable import WebApp
import ChallengeLab
import EssentialFoundation
import KeychainAgents
import NIOCore
import NIOPosix
import Secrets
import Synchronization
import Testing

/// The web application on a free port, with a keychain in a temporary folder and an authenticated browser.
struct CredentialsScene: Sendable {
    struct Page: Sendable {
        let status: Int
        let place: String?
        let text: String

        /// Returns the value of a hidden field.
        func field(_ name: String) -> String? {
            text.firstRange(of: "name=\"\(name)\" value=\"").map {
                String(text[$0.upperBound...].prefix { $0 != "\"" })
            }
        }
    }

    struct NotStarted: Error {}

    static let passphrase = "correct horse battery staple"

    let origin: WebOrigin
    let path: String
    let places: Keychain.Places
    private var cookie = ""
    private var formToken = ""

    /// Runs a closure with the application, and with a locked keychain unless `keychain` is false.
    static func run<Value: Sendable>(
        keychain: Bool = true, _ body: @Sendable (CredentialsScene) async throws -> Value
    ) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.path + "/cred-\(UInt32.random(in: .min ... .max))"
        for path in [folder, folder + "/run"] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let environment = [
            "COUNTERSIGN_HOME": folder, "XDG_STATE_HOME": folder + "/state", "XDG_RUNTIME_DIR": folder + "/run",
        ]
        let agent = KeychainAgentClient(socket: KeychainAgent.defaultSocket(environment))
        defer {
            // An agent without keys ends.
            try? agent.lock(nil)
            try? FileManager.default.removeItem(atPath: folder)
        }
        let path = folder + "/keychain/keychain.sqlite"
        let places = Keychain.Places(environment: environment)
        Scrypt.known.withLock { $0 = Scrypt(rounds: 16) }
        if keychain { _ = try await Keychain.create(at: path, passphrase: Secret(passphrase), places: places) }
        // Another test may use the port before the server listens.
        for _ in 0..<5 {
            let server = try await WebServer(port: 0, environment: environment)
            let (files, opened) = AsyncStream.makeStream(of: LaunchFile.self)
            let running = Task {
                defer { opened.finish() }
                try await server.run { if let file = $0 { opened.yield(file) } }
            }
            defer { running.cancel() }
            for await file in files {
                var scene = CredentialsScene(origin: server.origin, path: path, places: places)
                try await scene.enter(by: file)
                let value = try await body(scene)
                running.cancel()
                try await running.value
                return value
            }
        }
        throw NotStarted()
    }

    private init(origin: WebOrigin, path: String, places: Keychain.Places) {
        (self.origin, self.path, self.places) = (origin, path, places)
    }

    /// Opens the keychain directly, not through the pages.
    func keychain() async throws -> UnlockedKeychain {
        try await Keychain.open(at: path, places: places).unlock(with: .passphrase(Secret(Self.passphrase)))
    }

    private mutating func enter(by file: LaunchFile) async throws {
        let page = Page(
            status: 200, place: nil,
            text: String(decoding: try Data(contentsOf: URL(filePath: file.path)), as: UTF8.self))
        let entered = try await exchange("POST", "/open", ["token": page.field("token") ?? ""], site: "same-origin")
        cookie =
            entered.firstRange(of: "Set-Cookie: ").map { String(entered[$0.upperBound...].prefix { $0 != ";" }) } ?? ""
        formToken = try await get("/settings").field("form-token") ?? ""
    }

    func get(_ path: String) async throws -> Page {
        Self.page(try await exchange("GET", path, nil, site: "same-origin"))
    }

    /// Submits a form, and returns the page to which it leads.
    @discardableResult
    func submit(_ path: String, _ fields: [String: String] = [:]) async throws -> Page {
        let page = try await post(path, fields)
        guard page.status == 303, let place = page.place else { return page }
        return try await get(place)
    }

    func post(
        _ path: String, _ fields: [String: String] = [:], site: String = "same-origin"
    ) async throws -> Page {
        let fields = fields.merging(["form-token": formToken]) { $1 }
        return Self.page(try await exchange("POST", path, fields, site: site))
    }

    /// Submits a form, and returns the downloaded bytes.
    func download(_ path: String, _ fields: [String: String]) async throws -> [UInt8] {
        let bytes = try await exchange(
            request("POST", path, fields.merging(["form-token": formToken]) { $1 }, site: "same-origin"))
        let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))
        return end.map { Array(bytes[$0.upperBound...]) } ?? []
    }

    /// Uploads a file before its form, as the page's script does.
    ///
    /// - Returns: The name of the file, or the error.
    func upload(_ bytes: [UInt8], to path: String, token: String? = nil) async throws -> (
        name: String?, problem: String?
    ) {
        let head = [
            "POST \(path) HTTP/1.1", "Host: \(origin.authority)", "Connection: close", "Cookie: \(cookie)",
            "Origin: \(origin)", "Sec-Fetch-Site: same-origin", "Content-Type: application/octet-stream",
            "Form-Token: \(token ?? formToken)", "Content-Length: \(bytes.count)",
        ]
        let answer = try await exchange(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + bytes)
        let text = String(decoding: answer, as: UTF8.self)
        struct Answer: Decodable {
            let name: String?
            let problem: String?
        }
        guard Self.page(text).status == 200 else { return (nil, text) }
        let decoded = try JSONDecoder().decode(Answer.self, from: Data(Self.page(text).text.utf8))
        return (decoded.name, decoded.problem)
    }

    /// Waits until a page contains a text, and returns the page.
    @discardableResult
    func wait(
        for text: String, at path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Page {
        let deadline = ContinuousClock.now + .seconds(60)
        var page = try await get(path)
        while !page.text.contains(text), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
            page = try await get(path)
        }
        #expect(page.text.contains(text), sourceLocation: sourceLocation)
        return page
    }

    /// Unlocks the keychain.
    func unlock() async throws {
        #expect(try await post("/keychain/unlock", ["passphrase": Self.passphrase]).status == 303)
    }

    private static func page(_ text: String) -> Page {
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
        let place = parts.first?.split(separator: "\r\n").first { $0.lowercased().hasPrefix("location: ") }
        return Page(
            status: Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0,
            place: place.map { String($0.dropFirst("location: ".count)) }, text: String(parts.last ?? ""))
    }

    private func exchange(
        _ method: String, _ path: String, _ fields: [String: String]?, site: String
    ) async throws -> String {
        String(decoding: try await exchange(request(method, path, fields, site: site)), as: UTF8.self)
    }

    private func request(_ method: String, _ path: String, _ fields: [String: String]?, site: String) -> [UInt8] {
        let body = (fields ?? [:]).map { "\($0.key)=\(Self.encode($0.value))" }.joined(separator: "&")
        var head = [
            "\(method) \(path) HTTP/1.1", "Host: \(origin.authority)", "Connection: close", "Cookie: \(cookie)",
        ]
        if fields != nil {
            let other = site == "same-origin" ? origin.description : "https://elsewhere.example"
            head += [
                "Origin: \(other)", "Content-Type: application/x-www-form-urlencoded",
                "Content-Length: \(body.utf8.count)",
            ]
        }
        head.append("Sec-Fetch-Site: \(site)")
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    private func exchange(_ request: [UInt8]) async throws -> [UInt8] {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: origin.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: request))
            var bytes: [UInt8] = []
            for try await part in inbound { bytes += part.readableBytesView }
            return bytes
        }
    }

    private static func encode(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
