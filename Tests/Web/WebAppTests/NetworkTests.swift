// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import CommandSupport
import Countersign
import HTTPTypes
import Identities
import NIOCore
import Secrets
import Testing
import X509
@testable import WebApp
import EssentialFoundation

@Suite("The web application for the network") struct NetworkTests {
    private static let passphrase = "four words of mine"

    /// The application with a certificate for localhost, and a client that trusts its authority.
    private struct Scene {
        let session: HTTPSession
        let port: Int

        func send(
            _ method: HTTPRequest.Method, _ path: String, cookie: String? = nil, form: String? = nil,
            changes: HTTPFields = [:]
        ) async throws -> SessionResponse {
            var request = SessionRequest(url: "https://localhost:\(port)\(path)", method: method)
            if let cookie { request.headerFields[.cookie] = cookie }
            if let form {
                request.headerFields[.origin] = "https://localhost:\(port)"
                request.headerFields[.contentType] = "application/x-www-form-urlencoded"
                request.body = .bytes(Array(form.utf8))
            }
            for field in changes { request.headerFields[field.name] = field.value }
            return try await session.send(request)
        }

        func signIn(_ passphrase: String) async throws -> SessionResponse {
            try await send(.post, "/sign-in", form: "passphrase=" + passphrase.replacing(" ", with: "+"))
        }
    }

    private static func run(_ body: @Sendable (Scene) async throws -> Void) async throws {
        let home = FileManager.default.temporaryDirectory.appending(
            path: "web-network-\(UInt64.random(in: .min ... .max))")
        try FileManager.default.createDirectory(
            at: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: home) }
        let authority = try CertificateAuthority(name: "Home", now: Date())
        let identity = try authority.issue(.server(names: ["localhost", "127.0.0.1"]), now: Date())
        let network = try NetworkAccess(address: "127.0.0.1", identity: identity, passphrase: Secret(passphrase))
        let server = try await WebServer(port: 0, network: network, environment: ["COUNTERSIGN_HOME": home.path])
        let (starts, started) = AsyncStream.makeStream(of: Bool.self)
        let running = Task {
            defer { started.finish() }
            try await server.run { started.yield($0 == nil) }
        }
        defer { running.cancel() }
        for await hasNoFile in starts {
            #expect(hasNoFile)
            #expect(!FileManager.default.fileExists(atPath: home.path + "/web-running.json"))
            var configuration = HTTPSession.Configuration(trust: TrustPolicy(anchors: .only([authority.root])))
            configuration.redirectLimit = 0
            let session = HTTPSession(configuration)
            try await body(Scene(session: session, port: server.origin.port))
            await session.close()
            running.cancel()
            return try await running.value
        }
        Issue.record("The server never started.")
    }

    @Test("A browser signs in with the passphrase, and signs out") func signInAndOut() async throws {
        try await Self.run { scene in
            let outside = try await scene.send(.get, "/credentials")
            #expect(outside.status == .seeOther && outside.headerFields[.location] == "/sign-in")
            #expect(try await scene.send(.get, "/sign-in").text().contains("Passphrase"))
            let refused = try await scene.signIn("three words of mine")
            #expect(refused.status == .forbidden)
            #expect(try await refused.text().contains("The passphrase is wrong."))
            let entered = try await scene.signIn(Self.passphrase)
            #expect(entered.status == .seeOther)
            let field = try #require(entered.headerFields[.setCookie])
            #expect(field.hasPrefix("__Host-countersign-\(scene.port)="))
            #expect(field.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Secure"))
            let cookie = String(field.prefix { $0 != ";" })
            let page = try await scene.send(.get, "/lab", cookie: cookie).text()
            #expect(page.contains("Sign out"))
            // Signing in with another browser ends this browser's session.
            let other = try #require(try await scene.signIn(Self.passphrase).headerFields[.setCookie])
            #expect(try await scene.send(.get, "/lab", cookie: cookie).status == .seeOther)
            let second = String(other.prefix { $0 != ";" })
            let lab = try await scene.send(.get, "/lab", cookie: second).text()
            let token = try #require(lab.value(after: "name=\"form-token\" value=\""))
            let stale = try await scene.send(.post, "/sign-out", cookie: second, form: "form-token=x")
            #expect(stale.status == .forbidden)
            #expect(try await scene.send(.get, "/lab", cookie: second).status == .ok)
            let program = try await scene.send(
                .post, "/lab/grade", cookie: second, form: "form-token=\(token)&client=program&command=true+%7Burl%7D")
            #expect(program.status == .forbidden)
            #expect(try await program.text().contains("web.no-programs"))
            let left = try await scene.send(.post, "/sign-out", cookie: second, form: "form-token=\(token)")
            #expect(left.status == .seeOther)
            #expect(try await scene.send(.get, "/lab", cookie: second).status == .seeOther)
        }
    }

    @Test("Requests from other pages cannot sign in, nor enter without signing in") func attacks() async throws {
        try await Self.run { scene in
            let right = "passphrase=" + Self.passphrase.replacing(" ", with: "+")
            let site = try #require(HTTPField.Name("Sec-Fetch-Site"))
            let attacks: [(path: String, form: String, changes: HTTPFields, status: HTTPResponse.Status)] = [
                ("/sign-in", right, [.origin: "https://evil.example"], .forbidden),
                ("/sign-in", right, [.origin: "null"], .forbidden),
                ("/sign-in", right, [site: "cross-site"], .forbidden),
                ("/sign-in", right, [.contentType: "text/plain"], .forbidden),
                ("/sign-in", String(repeating: "a", count: 70_000), [:], .contentTooLarge),
                ("/open", "token=x", [:], .forbidden), ("/reopen", "", [.authorization: "Bearer "], .forbidden),
            ]
            for attack in attacks {
                let answer = try await scene.send(.post, attack.path, form: attack.form, changes: attack.changes)
                #expect(answer.status == attack.status, "\(attack.path) \(attack.changes)")
                #expect(answer.headerFields[.setCookie] == nil)
            }
            // The certificate is also valid for the address, but a form must come from the same origin.
            var request = SessionRequest(url: "https://127.0.0.1:\(scene.port)/sign-in")
            #expect(try await scene.session.send(request).status == .ok)
            request = SessionRequest(url: request.url, method: .post, body: .bytes(Array(right.utf8)))
            request.headerFields[.origin] = "https://localhost:\(scene.port)"
            request.headerFields[.contentType] = "application/x-www-form-urlencoded"
            #expect(try await scene.session.send(request).status == .forbidden)
        }
    }

    @Test("Guesses from one address are delayed increasingly, and those from another are not") func guesses() throws {
        let limit = GuessLimit()
        let (near, far) = (
            try SocketAddress(ipAddress: "2001:db8::1", port: 1), try SocketAddress(ipAddress: "192.0.2.1", port: 1)
        )
        // The neighbour's address belongs to the same network.
        let neighbour = try SocketAddress(ipAddress: "2001:db8::2", port: 2)
        var now = ContinuousClock.now
        for _ in 0..<3 { try limit.recordGuess(from: near, at: now) }
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
            #expect(throws: WebError.self) { try limit.recordGuess(from: neighbour, at: now) }
            try limit.recordGuess(from: far, at: now)
            limit.recordSuccess(from: far)
            now += .seconds(seconds) - .milliseconds(1)
            #expect(throws: WebError.tooManyGuesses(seconds: 1)) { try limit.recordGuess(from: near, at: now) }
            now += .milliseconds(1)
            try limit.recordGuess(from: near, at: now)
        }
        limit.recordSuccess(from: near)
        try limit.recordGuess(from: near, at: now)
        // These are IPv4 addresses in the form that an IPv6 socket reports.
        let mapped = try ["::ffff:192.0.2.7", "::ffff:192.0.2.8"].map { try SocketAddress(ipAddress: $0, port: 1) }
        for _ in 0..<3 { try limit.recordGuess(from: mapped[0], at: now) }
        #expect(throws: WebError.self) { try limit.recordGuess(from: mapped[0], at: now) }
        try limit.recordGuess(from: mapped[1], at: now)
    }

    @Test("One address cannot use all connections") func connections() async throws {
        try await Self.run { scene async throws in
            let port = scene.port
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<40 { group.addTask { _ = try? await RawConnection.open(to: port).answer(to: "") } }
                // Connections beyond the limit of 32 are closed at once, and so is the next one.
                for _ in 0..<8 { try await group.next() }
                await #expect(throws: SessionError.self) { try await scene.send(.get, "/sign-in") }
                group.cancelAll()
            }
        }
    }

    @Test("A chain file and a key file are read as an identity") func filesOfAuthority() async throws {
        let authority = try CertificateAuthority(name: "Home", now: Date())
        let identity = try authority.issue(.server(names: ["home.example"]), now: Date())
        let folder = FileManager.default.temporaryDirectory.path + "/identity-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let chain = folder + "/home.example.pem"
        try Data(try identity.pemEncodedChain).write(to: URL(filePath: chain))
        await #expect(throws: (any Error).self) { try await IdentityFile.read(chain, prompter: nil) }
        try Data(try identity.pemEncodedPrivateKey).write(to: URL(filePath: folder + "/home.example-key.pem"))
        #expect(try await IdentityFile.read(chain, prompter: nil).certificate == identity.certificate)
    }

    @Test("Certificates that browsers would refuse are refused at the start") func wrongStarts() throws {
        let (now, authority) = (Date(), try CertificateAuthority(name: "Home", now: Date()))
        let server = try authority.issue(.server(names: ["*.home.example", "home.example"]), now: now)
        let nameless = try authority.issue(.server(names: ["*.home.example"]), now: now)
        let good = Secret(Self.passphrase)
        let starts: [(address: String, identity: Identity, passphrase: Secret, now: Date, error: WebError)] = [
            ("home.example", server, good, now, .noAddress("home.example")),
            ("", server, good, now, .noAddress("")),
            ("0.0.0.0", server, Secret("1234"), now, .weakPassphrase),
            ("0.0.0.0", server, Secret(""), now, .weakPassphrase),
            ("0.0.0.0", server, good, now + 400 * 86_400, .certificateNotValid),
            ("::", server, good, now - 400 * 86_400, .certificateNotValid),
            ("::", nameless, good, now, .certificateWithoutName),
        ]
        for start in starts {
            #expect(throws: start.error) {
                try NetworkAccess(
                    address: start.address, identity: start.identity, passphrase: start.passphrase, now: start.now)
            }
        }
        let access = try NetworkAccess(address: "::", identity: server, passphrase: good)
        let origin = WebOrigin(securePort: 443, hosts: access.hosts)
        #expect(origin.description == "https://home.example")
        #expect(origin.isNamed(by: "HOME.example") && !origin.isNamed(by: "a.home.example"))
        #expect(!origin.isNamed(by: "home.example:443") && !origin.isNamed(by: nil))
        let address = WebOrigin(securePort: 8443, hosts: [try HostName("::1")])
        #expect(address.description == "https://[::1]:8443" && address.isNamed(by: "[::1]:8443"))
    }
}
