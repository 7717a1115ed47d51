// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import WebApp
import ChallengeLab
import CommandSupport
import ErrorChecks
import EssentialFoundation
import HTTPTypes
import POSIX
import Testing

@Suite("Settings of the web application") struct SettingsTests {
    @Test("Disabled trust is shown on every page until the program ends") func disabledTrust() async throws {
        try await WebScene.run { scene in
            #expect(!(try await scene.send(.get("/fetch")).text.contains("Server trust is disabled.")))
            try await scene.submit("/settings", ["trust": "disabled"])
            for path in ["/fetch", "/settings", "/nothing", "/fetch/999"] {
                #expect(try await scene.send(.get(path)).text.contains("Server trust is disabled."))
            }
            #expect(try Self.file(of: scene).contains("\"trust\" : \"default\""))
        }
    }

    @Test("The history is kept for the configured period", arguments: ["none", "session", "permanent"])
    func history(persistence: String) async throws {
        try await WebScene.run { scene in
            try await scene.submit("/settings", ["history": persistence])
            let url = "http://localhost:1/page"
            try await scene.submit("/fetch", ["url": url])
            try await scene.submit("/fetch", ["url": url + "?token=hidden"])
            #expect(try await scene.send(.get("/fetch")).text.contains(url) == (persistence != "none"))
            #expect(
                try await scene.send(.get("/fetch")).text.contains("<a href=\"/fetch/2\">") == (persistence != "none"))
            #expect(try await scene.send(.get("/fetch")).text.contains("/history/clear") == (persistence != "none"))
            let stored = try Self.file(of: scene)
            #expect(stored.contains(url) == (persistence == "permanent"))
            #expect(!stored.contains("hidden"))
            try await scene.submit("/history/clear")
            #expect(!(try await scene.send(.get("/fetch")).text.contains(url)))
            #expect(!(try Self.file(of: scene).contains(url)))
        }
    }

    @Test("Unreadable settings are an error, and not replaced by defaults") func unreadable() async throws {
        let home = FileManager.default.temporaryDirectory.path + "/web-settings-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: home) }
        let file = SettingsFile(environment: ["COUNTERSIGN_HOME": home])
        #expect(try file.read().settings == nil)
        try FileManager.default.createSymbolicLink(
            atPath: home + "/web.json", withDestinationPath: home + "/elsewhere")
        #expect(throws: (any Error).self) { try file.read() }
    }

    @Test("Without a keychain, nothing is stored permanently") func permanentWithoutKeychain() async throws {
        try await WebScene.run { scene in
            let page = try await scene.submit("/settings", ["credentials": "permanent"])
            #expect(page.status == 400)
            #expect(page.text.contains("Code: <code>credentials.keychain-needed"))
            #expect(
                try await scene.send(.get("/settings")).text.contains(
                    "value=\"session\" aria-describedby=\"credentials-session-help\" checked"))
        }
    }

    @Test("The event log is shown if it is enabled in the settings") func eventLog() async throws {
        try await WebScene.run { scene in
            try await scene.submit("/fetch", ["url": "http://localhost:1/"])
            #expect(!(try await scene.page(of: 1, with: "Code: <code>connection.").contains("Event log")))
            try await scene.submit("/settings", ["events": "on"])
            #expect(try await scene.send(.get("/fetch/1")).text.contains("Event log"))
        }
    }

    @Test("An early identity that cannot be read is refused") func malformedIdentity() async throws {
        try await WebScene.run { scene in
            let empty = try await scene.submit("/settings/identity", ["identity": ""])
            #expect(empty.status == 400)
            let malformed = try await scene.submit("/settings/identity", ["identity": "AAAA"])
            #expect(malformed.status == 400)
        }
    }

    @Test("The port is remembered") func port() async throws {
        let home = FileManager.default.temporaryDirectory.appending(
            path: "web-port-\(UInt64.random(in: .min ... .max))")
        defer { try? FileManager.default.removeItem(at: home) }
        let file = SettingsFile(environment: ["COUNTERSIGN_HOME": home.path])
        let first = try await PortChoice.port(nil, at: WebOrigin.loopback, savedIn: file)
        #expect(try await PortChoice.port(nil, at: WebOrigin.loopback, savedIn: file) == first)
        #expect(try await PortChoice.port(0, at: WebOrigin.loopback, savedIn: file) != first)
        #expect(try file.read().port == first)
        #expect(FileManager.default.isReadableFile(atPath: home.appending(path: "web.json").path))
    }

    @Test("Another start of the program opens the browser again") func reopening() async throws {
        let (environment, port) = try await WebScene.run { scene in
            let environment = ["COUNTERSIGN_HOME": scene.home]
            // The server was not started at the configured port.
            #expect(await WebServer.reopen(port: nil, environment: environment) == nil)
            #expect(await WebServer.reopen(port: scene.port + 1, environment: environment) == nil)
            let opened = try #require(await WebServer.reopen(port: scene.port, environment: environment))
            #expect(opened.url == scene.server.origin.description)
            // The previous browser stays signed in until the new one arrives.
            try await scene.expect(200, for: .get("/fetch"))
            let page = String(decoding: try Data(contentsOf: URL(filePath: opened.file)), as: UTF8.self)
            let token = try #require(page.value(after: "name=\"token\" value=\""))
            let entered = try await scene.send(.form("/open", ["token": token]))
            #expect(entered.status == 200 && entered.cookie != nil)
            try await scene.expect(403, for: .get("/fetch"))
            #expect(!FileManager.default.fileExists(atPath: opened.file))
            for key in ["", "Bearer", "Bearer x"] {
                let guess = WebRequest(
                    method: "POST", path: "/reopen", origin: .missing, site: .missing, cookie: .missing,
                    rest: "Authorization: \(key)\r\nContent-Length: 0\r\n\r\n")
                try await scene.expect(403, for: guess)
            }
            return (environment, scene.port)
        }
        #expect(await WebServer.reopen(port: port, environment: environment) == nil)
    }

    @Test("Another program at the port of a killed server is not trusted") func foreignListener() async throws {
        let home = FileManager.default.temporaryDirectory.path + "/web-stale-\(UInt64.random(in: .min ... .max))"
        defer { try? FileManager.default.removeItem(atPath: home) }
        let environment = ["COUNTERSIGN_HOME": home]
        let other = try await ScriptedServer.start { _ in .init(.noContent) }
        try RunningServer(port: other.port, key: "key", folder: home).write(environment)
        #expect(await WebServer.reopen(port: other.port, environment: environment) == nil)
        // A file that other users can write is not opened either.
        let file = LaunchFile.path(in: home)
        try Data("<html>".utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: home)
        #expect(await WebServer.reopen(port: other.port, environment: environment) == nil)
        await other.stop()
    }

    @Test("An address of another computer is reported as such") func foreignAddress() async throws {
        let home = FileManager.default.temporaryDirectory.path + "/web-address-\(UInt64.random(in: .min ... .max))"
        let file = SettingsFile(environment: ["COUNTERSIGN_HOME": home])
        await #expect(throws: WebError.cannotListen(address: "192.0.2.1", port: 0, code: EADDRNOTAVAIL)) {
            try await PortChoice.port(0, at: "192.0.2.1", savedIn: file)
        }
    }

    @Test("Each error explains itself") func errors() {
        #expect(problems(of: WebError.examples).isEmpty)
    }

    private static func file(of scene: WebScene) throws -> String {
        let path = scene.home + "/web.json"
        guard FileManager.default.fileExists(atPath: path) else { return "" }
        return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
}
