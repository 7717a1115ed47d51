// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Crypto
import ErrorExplanations
import EssentialFoundation
import NIOConcurrencyHelpers
import POSIX
import Testing
import TestServer
import TrustRecipes
import X509

@testable import Countersign

/// Sessions that accept a server's key on first use, with each memory of keys.
struct FirstUseSessionTests {
    /// A server with a self-signed certificate, and a policy without anchors.
    private struct Scene {
        let scene: TrustScene
        let server: TestAuthority
        let url: String
        var endpoint: HostEndpoint { get throws { try HostEndpoint(of: url) } }

        static func with(_ body: (Scene) async throws -> Void) async throws {
            try await TrustScene.with { scene in
                let server = try TestAuthority(root: certificate)
                try await body(Scene(scene: scene, server: server, url: try await scene.serve(server)))
            }
        }

        static let certificate = Recipe().with {
            ($0.notBefore, $0.notAfter, $0.names) = (Date() - 60, Date() + 86400, [.dnsName("localhost")])
        }

        func configuration(_ memory: any ServerMemory, anchors: TrustPolicy.Anchors = .only([]))
            -> HTTPSession.Configuration
        {
            var configuration = HTTPSession.Configuration(trust: TrustPolicy(anchors: anchors, validation: .firstUse))
            configuration.serverMemory = memory
            return configuration
        }

        /// Connects once with a new session.
        ///
        /// - Returns: The verdict, also one that does not trust the server.
        func verdict(_ memory: any ServerMemory, anchors: TrustPolicy.Anchors = .only([])) async throws -> Verdict {
            try await withSession(configuration(memory, anchors: anchors)) { session async throws in
                do {
                    return try #require(try await session.get(url).connection.tls).verdict
                } catch SessionError.trust(.notTrusted(_, _, let verdict)) {
                    return verdict
                }
            }
        }
    }

    /// A kind of memory, which a test creates again as a later run of the program would.
    enum Kind: CaseIterable { case volatile, file, confirming }

    private func memory(_ kind: Kind, in folder: String) throws -> any ServerMemory {
        switch kind {
        case .volatile: VolatileServerMemory()
        case .file: try FileServerMemory(folder: URL(filePath: folder + "/new/servers"))
        case .confirming:
            try FileServerMemory(folder: URL(filePath: folder + "/new/servers")).confirming { _, _, _ in true }
        }
    }

    @Test(
        "The first key is remembered, another key is refused, and a forgotten server is seen first again",
        arguments: Kind.allCases)
    func firstUse(kind: Kind) async throws {
        try await withFolder { folder async throws in
            try await Scene.with { scene async throws in
                let volatile = try memory(kind, in: folder)
                func later() throws -> any ServerMemory { kind == .volatile ? volatile : try memory(kind, in: folder) }
                // An inspection remembers no key.
                try await withSession(scene.configuration(try later())) { session async throws in
                    #expect(try await session.inspect(scene.url).verdict.isTrusted)
                }
                let unseen = try await later().server(at: scene.endpoint)
                #expect(unseen == nil)

                let key = Pin(of: scene.server.certificate)
                guard case .firstUse(let seen)? = try await scene.verdict(later()).remarks.first,
                    case .knownSince(let known)? = try await scene.verdict(later()).remarks.first
                else {
                    Issue.record("nothing is remembered")
                    return
                }
                #expect(seen.key == key && known.key == key)

                try await later().forget(scene.endpoint)
                try await later().forget(scene.endpoint)
                let other = Pin(of: try TestAuthority(root: Scene.certificate.with { $0.key = .init() }).certificate)
                let stranger = RememberedServer(key: other, since: Date() - 3600)
                _ = try await later().firstSeen(stranger, at: scene.endpoint, verdict: seenFirst)
                let changed = try await scene.verdict(later())
                #expect(
                    changed.failures.map(\.code) == ["trust.changed", "trust.self-signed"] && !changed.isRecoverable)

                try await later().forget(scene.endpoint)
                guard case .firstUse? = try await scene.verdict(later()).remarks.first else {
                    Issue.record("the server is not forgotten")
                    return
                }
            }
        }
    }

    /// A verdict on the first use of a server, for memories that do not read it.
    private let seenFirst: Verdict

    init() throws {
        let chain = try #require(PresentedChain([TestAuthority(root: Scene.certificate).certificate]))
        seenFirst = TrustEvaluator(
            policy: TrustPolicy(anchors: .only([]), validation: .firstUse), systemAnchors: AnchorStore([])
        ).evaluate(chain, for: try HostName("localhost"), at: Date())
    }

    @Test(
        "A file memory is private, and has one file for each host and port",
        arguments: [
            ("localhost", 8443, "localhost_8443.json"), ("::1", 443, "--1_443.json"),
            ("127.0.0.1", 443, "127.0.0.1_443.json"),
        ]) func files(host: String, port: Int, name: String) async throws
    {
        try await withFolder { folder async throws in
            let (memory, endpoint) = (try fileMemory(folder), try HostEndpoint(host: HostName(host), port: port))
            let server = RememberedServer(key: try Pin(Self.pin), since: Date(timeIntervalSince1970: 1_700_000_000))
            #expect(try await memory.firstSeen(server, at: endpoint, verdict: seenFirst) == server)
            #expect(try names(in: "\(folder)/servers") == [name])
            #expect(FileState(path: "\(folder)/servers")?.permissions == 0o700)
            #expect(FileState(path: "\(folder)/servers/\(name)")?.permissions == 0o600)
            let stored = try await fileMemory(folder).server(at: endpoint)
            #expect(stored == server)
        }
    }

    private static let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    private func fileMemory(_ folder: String) throws -> FileServerMemory {
        try FileServerMemory(folder: URL(filePath: folder + "/servers"))
    }

    @Test("Of concurrent first uses with several keys, one is remembered") func concurrent() async throws {
        try await withFolder { folder async throws in
            let endpoint = try HostEndpoint(host: HostName("localhost"), port: 443)
            let keys = try (0..<20).map { _ in
                RememberedServer(
                    key: Pin(of: try TestAuthority(root: Recipe().with { $0.key = .init() }).certificate), since: Date()
                )
            }
            let first = try await withThrowingTaskGroup(of: Pin?.self) { group in
                for key in keys {
                    let memory = try fileMemory(folder)
                    group.addTask { [seenFirst] in
                        try await memory.firstSeen(key, at: endpoint, verdict: seenFirst)?.key
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            let stored = try await fileMemory(folder).server(at: endpoint)?.key
            #expect(stored != nil && first == [stored])
            #expect(try names(in: "\(folder)/servers").count == 1)
        }
    }

    @Test("A file memory that another user may have changed is an error", arguments: ["folder", "file", "link"])
    func exposed(what: String) async throws {
        try await withFolder { folder async throws in
            let (memory, endpoint) = (try fileMemory(folder), try HostEndpoint(host: HostName("a.test"), port: 443))
            let server = RememberedServer(key: try Pin(Self.pin), since: Date())
            _ = try await memory.firstSeen(server, at: endpoint, verdict: seenFirst)
            let path = folder + "/servers/a.test_443.json"
            switch what {
            case "folder": #expect(chmod(folder + "/servers", 0o755) == 0)
            case "file": #expect(chmod(path, 0o644) == 0)
            default: #expect(rename(path, folder + "/real") == 0 && symlink(folder + "/real", path) == 0)
            }
            await #expect {
                try await memory.server(at: endpoint)
            } throws: { error in
                guard case SessionError.file(.exposed(what == "folder" ? folder + "/servers" : path)) = error else {
                    return false
                }
                return true
            }
        }
    }

    @Test(
        "A malformed entry of a file memory fails the connection",
        arguments: ["", "{}", "{\"key\":\"\(pin)\",\"since\":\"2026-02-30T03:04:05Z\"}", "{\"key\":\"x\"}"])
    func malformed(text: String) async throws {
        try await withFolder { folder async throws in
            try await Scene.with { scene async throws in
                let memory = try fileMemory(folder)
                _ = try await scene.verdict(memory)
                let file = try #require(try names(in: "\(folder)/servers").first)
                let path = "\(folder)/servers/\(file)"
                let state = FileState(path: path)
                try write(Array(text.utf8), to: path)
                #expect(chmod(path, 0o600) == 0 && state?.isRegular == true)
                await #expect {
                    try await scene.verdict(memory)
                } throws: { error in
                    guard case SessionError.file(.malformedServer(path)) = error else { return false }
                    return true
                }
            }
        }
    }

    @Test("A memory in a folder on another machine is refused") func elsewhere() throws {
        for text in ["https://a.test/servers", "file://other/servers"] {
            let url = try #require(URL(string: text))
            #expect(throws: SessionError.self) { try FileServerMemory(folder: url) }
        }
    }

    @Test("A declined server is an error, and is not remembered", arguments: [false, true])
    func consent(isAccepted: Bool) async throws {
        try await Scene.with { scene async throws in
            let (memory, questions) = (VolatileServerMemory(), NIOLockedValueBox<[String]>([]))
            let asking = memory.confirming { server, endpoint, verdict in
                questions.withLockedValue { $0.append("\(endpoint) \(server.key) \(verdict.explanation)") }
                return isAccepted
            }
            let (key, endpoint) = (Pin(of: scene.server.certificate), try scene.endpoint)
            try await withSession(scene.configuration(asking)) { session async throws in
                if isAccepted {
                    #expect(try await session.text(scene.url).body == "hello")
                } else {
                    await #expect {
                        try await session.text(scene.url)
                    } throws: { error in
                        (error as? SessionError)?.code == "trust.declined"
                    }
                }
            }
            #expect(memory.server(at: endpoint)?.key == (isAccepted ? key : nil))
            #expect(
                questions.withLockedValue { $0 } == [
                    """
                    \(endpoint) \(key) localhost is identified only by its key: its certificate is signed with its own \
                    key, and is not among the anchors. Its key \(key) is seen for the first time.
                    """
                ])
            // A server with a path to an anchor needs no consent.
            let refusing = VolatileServerMemory().confirming { _, _, _ in false }
            #expect(try await scene.verdict(refusing, anchors: .only([scene.server.certificate])).isTrusted)
            #expect(try await refusing.server(at: endpoint)?.key == key)
        }
    }

    @Test("Concurrent connections ask one question, which outlives the connection that asked it")
    func oneQuestion() async throws {
        try await Scene.with { scene async throws in
            let (memory, count) = (VolatileServerMemory(), NIOLockedValueBox(0))
            let (gate, opened) = AsyncStream.makeStream(of: Void.self)
            let asking = memory.confirming { _, _, _ in
                count.withLockedValue { $0 += 1 }
                for await _ in gate { break }
                try Task.checkCancellation()
                return true
            }
            let server = RememberedServer(key: Pin(of: scene.server.certificate), since: Date())
            let tasks = try (0..<5).map { _ in
                let endpoint = try scene.endpoint
                return Task { [seenFirst] in try await asking.firstSeen(server, at: endpoint, verdict: seenFirst) }
            }
            #expect(await eventually { count.withLockedValue { $0 } == 1 })
            try await Task.sleep(for: .milliseconds(50))
            #expect(count.withLockedValue { $0 } == 1)
            // The other connections ask again when the one that asked is cancelled.
            tasks[0].cancel()
            #expect(await eventually { count.withLockedValue { $0 } == 2 })
            opened.finish()
            await #expect(throws: CancellationError.self) { try await tasks[0].value }
            for task in tasks.dropFirst() { #expect(try await task.value?.key == server.key) }
        }
    }
}
