// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Serves one test, does what its command says, and keeps what was received.
struct Replay {
    let number: Int
    let file: [UInt8]

    /// For a whole test; many servers close only when they have waited.
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
            // Nothing here speaks TLS; what is refused on the way there is all that such tests are about.
            "HTTPSPORT": String(origin), "NOLISTENPORT": "1", "TESTNUMBER": String(number), "LOGDIR": folder,
            "PWD": folder, "FILE_PWD": folder, "SRCDIR": folder, "VERSION": "8", "HOST6IP": "[::1]",
        ])
        // The session refuses names that a resolver could take for a shortened IPv4 address.
        return CurlTest(number: number, file: TestFile(HostLabels.appendLetters(to: file), macros: macros))
    }
}
