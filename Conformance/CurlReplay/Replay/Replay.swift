// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Countersign
import EssentialFoundation

/// Runs the servers and the command of one test, and records the received requests.
struct Replay {
    let number: Int
    let file: [UInt8]

    /// The timeout of a test, which is long because many servers close connections only after waiting.
    private static let timeout = Duration.seconds(60)

    func run() async throws -> ReplayOutcome {
        let (origin, proxy) = (try await ReplayServer(), try await ReplayServer())
        let folder = FileManager.default.temporaryDirectory.appending(path: "curl-replay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let test = read(origin: origin.port, proxy: proxy.port, folder: folder.path(percentEncoded: false))
        for file in test.files { try Data(file.content).write(to: URL(filePath: file.path)) }
        await origin.prepare(test)
        await proxy.prepare(test, before: origin)
        let errors = await withTaskGroup(of: [String]?.self) { group in
            for server in [origin, proxy] {
                group.addTask {
                    try? await server.run()
                    return nil
                }
            }
            group.addTask { await CommandRun(test: test).perform() }
            group.addTask {
                try? await Task.sleep(for: Self.timeout)
                return Task.isCancelled ? nil : ["it takes too long"]
            }
            defer { group.cancelAll() }
            for await errors in group {
                if let errors { return errors }
            }
            return []
        }
        return ReplayOutcome(
            test: test, received: [.origin: await origin.received, .proxy: await proxy.received], errors: errors)
    }

    private func read(origin: Int, proxy: Int, folder: String) -> CurlTest {
        let macros = Macros([
            "HOSTIP": "127.0.0.1", "CLIENTIP": "127.0.0.1", "HTTPPORT": String(origin), "PROXYPORT": String(proxy),
            // The servers do not support TLS; such tests only need requests that are refused before the handshake.
            "HTTPSPORT": String(origin), "NOLISTENPORT": "1", "TESTNUMBER": String(number), "LOGDIR": folder,
            "PWD": folder, "FILE_PWD": folder, "SRCDIR": folder, "VERSION": "8", "HOST6IP": "[::1]",
        ])
        // The session refuses host names that could be mistaken for a short form of an IPv4 address.
        return CurlTest(number: number, file: TestFile(HostLabels.appendLetters(to: file), macros: macros))
    }
}

/// The outcome of a replay.
struct ReplayOutcome: Sendable {
    let test: CurlTest
    let received: [ServerRole: [RequestHead]]
    /// The errors of the transfers, which many tests expect.
    let errors: [String]
}

/// Runs a command line of curl with sessions.
struct CommandRun: Sendable {
    let test: CurlTest

    /// Sends the requests of all operations.
    ///
    /// - Returns: The errors of the transfers, which the test may expect.
    func perform() async -> [String] {
        let command = CurlCommand(test.command) { Self.read($0) }
        let input = command.standardInputPath.flatMap(Self.read) ?? test.standardInput
        let hasSeveralURLs = command.operations.flatMap(\.expandedURLs).count > 1
        var sessions: [SessionPlan: HTTPSession] = [:]
        var errors: [String] = []
        for operation in command.operations {
            errors += operation.unsupported.map { ReplayError.unsupported($0).description }
            let planner = OperationPlanner(
                operation: operation, test: test, hasSeveralURLs: hasSeveralURLs,
                read: Self.read)
            let requests = RequestPlanner(planner: planner, standardInput: input)
            for (index, written) in operation.expandedURLs.enumerated() {
                do {
                    let url = try CurlURL(written)
                    let plan = try planner.plan(for: url)
                    let upload = operation.uploads.indices.contains(index) ? operation.uploads[index] : nil
                    let request = try requests.request(for: url, upload: upload, netrc: plan.netrc)
                    let session = sessions[plan] ?? plan.makeSession()
                    sessions[plan] = session
                    let response = try await session.send(request)
                    for try await _ in response.body {}
                } catch {
                    errors.append("\(error)")
                }
            }
        }
        for session in sessions.values { await session.close() }
        return errors
    }

    @Sendable private static func read(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map(Array.init)
    }
}

/// The configuration of a session; operations with equal plans share a session.
struct SessionPlan: Hashable, Sendable {
    var proxy: Proxy?
    var methods: [AuthenticationMethod]
    var redirectLimit: Int
    var netrc: NetrcFile?
    var connectTargets: [HostEndpoint: ConnectTarget] = [:]

    /// The timeout, which is long enough for a loaded machine.
    private static let timeout = Duration.seconds(20)

    func makeSession() -> HTTPSession {
        var configuration = HTTPSession.Configuration(proxy: proxy)
        configuration.methods = MethodPreference(order: methods)
        configuration.allowsNTLMOverPlainHTTP = true
        configuration.redirectLimit = redirectLimit
        // Curl follows redirects to plain HTTP.
        configuration.allowsRedirectsToPlainHTTP = true
        // Curl does not decode bodies without --compressed.
        configuration.decodesContent = false
        configuration.idleTimeout = Self.timeout
        configuration.connectTimeout = Self.timeout
        configuration.connectTargets = connectTargets
        if let netrc {
            for method in methods {
                configuration.handlers[method] = NetrcHandler(netrc, ports: .every, allowsPlainHTTP: true)
            }
        }
        return HTTPSession(configuration)
    }
}
