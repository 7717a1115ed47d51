// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Dispatch
import ErrorChecks
import Secrets
import Testing
@testable import KeychainAgents
import EssentialFoundation
import POSIX

@Suite(.timeLimit(.minutes(1))) struct KeychainAgentTests {
    /// A folder in `/tmp`, because a socket's path is short.
    struct TestFolder: ~Copyable {
        let folder: String
        var socket: URL { URL(filePath: folder + "/agent.socket") }

        init() throws {
            folder = "/tmp/agent-\(getpid())-\(UInt32.random(in: 0 ... .max))"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        /// Runs the agent on a thread until it holds no more keys.
        func serve() -> Task<Void, any Error> {
            let socket = socket
            let (stream, continuation) = AsyncThrowingStream<Void, any Error>.makeStream()
            // The agent blocks its thread, which must not belong to the task executor.
            DispatchQueue(label: "agent").async {
                do {
                    try KeychainAgent.serve(socket: socket)
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            return Task { for try await _ in stream {} }
        }
    }

    static let keys = AgentStateTests.all
    static let id = KeychainID.example(7)

    /// Gives keys to the agent, and waits until it listens.
    private func hold(_ client: KeychainAgentClient, lifetime: AgentLifetime = AgentLifetime()) async throws {
        while try !client.hold(Self.keys, for: Self.id, lifetime: lifetime) {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test("Keys are held until the keychain is locked, which ends the agent")
    func lock() async throws {
        let place = try TestFolder()
        let client = KeychainAgentClient(socket: place.socket)
        #expect(try client.keys(for: Self.id) == nil)
        #expect(try client.status().isEmpty)
        let agent = place.serve()
        try await hold(client)
        #expect(try client.keys(for: Self.id) == Self.keys)
        #expect(try client.keys(for: .example(8)) == nil)
        #expect(try client.status().map(\.id) == [Self.id])
        try client.lock(Self.id)
        try await agent.value
        #expect(try client.keys(for: Self.id) == nil)
        #expect(!FileManager.default.fileExists(atPath: place.socket.path))
    }

    @Test("An agent ends when its keys have expired")
    func expiry() async throws {
        let place = try TestFolder()
        let client = KeychainAgentClient(socket: place.socket)
        let agent = place.serve()
        try await hold(client, lifetime: AgentLifetime(absoluteTimeout: .seconds(1)))
        try await agent.value
        #expect(try client.status().isEmpty)
    }

    @Test("A second agent does not replace the first one's socket, but that of a killed agent")
    func second() async throws {
        let place = try TestFolder()
        #expect(FileManager.default.createFile(atPath: place.socket.path, contents: nil))
        let client = KeychainAgentClient(socket: place.socket)
        let agent = place.serve()
        try await hold(client)
        try await place.serve().value
        #expect(try client.keys(for: Self.id) == Self.keys)
        try client.lock(nil)
        try await agent.value
    }

    @Test("A client that sends invalid bytes, or none, does not block other clients")
    func invalidBytes() async throws {
        let place = try TestFolder()
        let client = KeychainAgentClient(socket: place.socket)
        let agent = place.serve()
        try await hold(client)
        let silent = try UnixSocket()
        try silent.connect(to: place.socket.path)
        for bytes in [[], [9], [UInt8](repeating: 2, count: 4000)] {
            let other = try UnixSocket()
            try other.connect(to: place.socket.path)
            _ = other.write(bytes)
            if !bytes.isEmpty { #expect(other.read() == AgentResponse.refused.encoded) }
        }
        #expect(try client.keys(for: Self.id) == Self.keys)
        try client.lock(nil)
        try await agent.value
        _ = consume silent
    }

    @Test("A client that sends bytes slowly does not block other clients")
    func trickle() async throws {
        let place = try TestFolder()
        let client = KeychainAgentClient(socket: place.socket)
        let agent = place.serve()
        try await hold(client)
        let slow = try UnixSocket()
        try slow.connect(to: place.socket.path)
        let descriptor = dup(slow.descriptor)
        // The first two bytes announce a message of 257 bytes.
        let trickling = Task.detached {
            defer { close(descriptor) }
            #if canImport(Darwin)
                let flags: Int32 = 0
            #else
                let flags = Int32(MSG_NOSIGNAL)
            #endif
            while !Task.isCancelled, send(descriptor, [1], 1, flags) == 1 {
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        #expect(try client.keys(for: Self.id) == Self.keys)
        trickling.cancel()
        try client.lock(nil)
        try await agent.value
        _ = consume slow
    }

    @Test("A client that connects while the agent ends gets an answer")
    func suffix() async throws {
        let place = try TestFolder()
        let agent = place.serve()
        try await hold(KeychainAgentClient(socket: place.socket))
        // The agent serves the connections in this order, and waits a second for each request.
        let silent = try UnixSocket()
        let locking = try UnixSocket()
        let asking = try UnixSocket()
        try silent.connect(to: place.socket.path)
        try locking.connect(to: place.socket.path)
        try asking.connect(to: place.socket.path)
        _ = asking.write(AgentRequest.status.encoded)
        _ = locking.write(AgentRequest.lock(nil).encoded)
        #expect(locking.read() == AgentResponse.done.encoded)
        #expect(asking.read() == AgentResponse.status([]).encoded)
        try await agent.value
        _ = consume silent
    }

    @Test("The agent and the client refuse a folder that others can enter")
    func openFolder() throws {
        let place = try TestFolder()
        chmod(place.folder, 0o755)
        #expect(throws: KeychainAgentError.notOwnedByUser(path: place.folder)) {
            try KeychainAgent.serve(socket: place.socket)
        }
        #expect(throws: KeychainAgentError.notOwnedByUser(path: place.folder)) {
            try KeychainAgentClient(socket: place.socket).keys(for: Self.id)
        }
    }

    @Test("A path that is too long for a socket is reported")
    func longPath() throws {
        let place = try TestFolder()
        let path = place.folder + "/" + String(repeating: "s", count: 120)
        #expect(throws: KeychainAgentError.pathTooLong(path: path, limit: UnixSocket.maximumPathLength)) {
            try KeychainAgent.serve(socket: URL(filePath: path))
        }
    }

    @Test("A URL that is not a socket of this machine is refused")
    func foreignURL() throws {
        let url = try #require(URL(string: "https://mary:secret@a.example/agent.socket"))
        let error = KeychainAgentError.notAFile(url: "https://a.example/agent.socket")
        #expect(throws: error) { try KeychainAgent.serve(socket: url) }
        #expect(throws: error) { try KeychainAgentClient(socket: url).status() }
    }

    @Test("A program that cannot be run as an agent is named in the error")
    func noProgram() async throws {
        let place = try TestFolder()
        await #expect(throws: KeychainAgentError.cannotUse(path: "/none", code: ENOENT)) {
            try await KeychainAgentClient(socket: place.socket).hold(
                Self.keys, for: Self.id, startingAgentWith: ["/none"])
        }
    }

    @Test("A started program does not remain as a zombie")
    func zombie() async throws {
        let process = try DetachedProcess.start(["/bin/sh", "-c", "exit 3"])
        while kill(process, 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(errno == ESRCH)
    }

    @Test("The socket is in the user's runtime folder, or otherwise in /tmp")
    func socket() {
        let runtime = URL(filePath: "/run/u/countersign/agent.socket")
        #expect(KeychainAgent.defaultSocket(["XDG_RUNTIME_DIR": "/run/u"]) == runtime)
        let fallback = URL(filePath: "/tmp/countersign-\(getuid())/agent.socket")
        #expect(KeychainAgent.defaultSocket([:]) == fallback)
        #expect(KeychainAgent.defaultSocket(["XDG_RUNTIME_DIR": "run"]) == fallback)
    }

    @Test("Each error describes the problem and possible remedies")
    func errors() { #expect(problems(of: KeychainAgentError.examples).isEmpty) }
}
