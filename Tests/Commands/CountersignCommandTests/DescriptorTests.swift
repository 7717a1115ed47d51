// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import ErrorExplanations
import Foundation
import Testing

@testable import CommandSupport
@testable import Countersign

@Suite("Running out of file descriptors has a specific error") struct DescriptorTests {
    private static let products = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent()

    /// A script that prints each limit at which the command fails, with the exit status and the error's first line.
    private static let steps = """
        for limit in 4 5 6 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 28 30 32 36 40; do
            (ulimit -n $limit; exec $COMMAND) > output 2> errors < /dev/null
            status=$?
            # 124 is the status of timeout, which ends servers.
            test $status = 0 || test $status = 124 || echo "$limit $status $(head -n 1 errors)"
        done
        """

    @Test(
        "With any limit, no program is ended by a signal or reports another error",
        arguments: [
            ("countersign get http://localhost:PORT/", nil), ("countersign get http://127.0.0.1:PORT/", nil),
            ("timeout 1 countersign lab", nil), ("countersign-soap describe missing.wsdl", "missing.wsdl"),
            ("timeout 1 countersign-web --no-browser --port 0", nil),
            ("countersign-ca init Home --for-every-name --key-store file", "already"),
            ("countersign-ca list", "no authority"), ("countersign-keychain find", "no keychain"),
        ] as [(command: String, otherwise: String?)])
    func limits(command: String, otherwise: String?) async throws {
        let server = try await ScriptedServer.start { _ in .init(.ok, body: "hello") }
        let folder = try Folder()
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", Self.steps]
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.environment = [
            "PATH": "\(Self.products.path):/usr/bin:/bin", "HOME": folder.path, "COUNTERSIGN_HOME": folder.file("home"),
            "TMPDIR": folder.path, "XDG_RUNTIME_DIR": folder.path, "LC_ALL": "C.UTF-8",
            "COMMAND": command.replacing("PORT", with: "\(server.port)"),
        ]
        let lines = Pipe()
        process.standardOutput = lines
        try process.run()
        let text = try lines.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        await server.stop()
        let failures = String(decoding: text, as: UTF8.self).split(separator: "\n")
        #expect(failures.count > 4)
        for failure in failures {
            let words = failure.split(separator: " ", maxSplits: 2)
            let text = words.last?.lowercased() ?? ""
            // With enough descriptors, the error is the missing file.
            let isOther = otherwise.map { text.contains($0) && (Int(words[0]) ?? 0) > 17 } ?? false
            #expect(words.count == 3 && words[1] == "1", "\(failure)")
            #expect(text.contains("out of file descriptors") || isOther, "\(failure)")
        }
    }

    @Test("A system error is reported as that error too", arguments: [EMFILE, ENFILE])
    func systemErrors(_ code: Int32) throws {
        let refused = ConnectionError.examples.lazy.compactMap { error in
            if case .cannotConnect(let peer, _) = error { peer } else { nil }
        }
        for error in [
            FileError.failed(path: "a.txt", .read, code: code),
            ConnectionError.cannotConnect(try #require(refused.first), .system(code)),
            ConnectionError.cannotConnectToSocket("/run/a", .system(code)),
            LabError.cannotListen("127.0.0.1", code: code), ExternalCommandError(path: "/bin/a", code: code),
        ] as [any ExplainedError] {
            #expect(error.code == "system.out-of-descriptors")
            #expect(error.explanation.message.contains("out of file descriptors, of which"))
            #expect(error.explanation.advice.contains("limit"))
        }
        let other = FileError.failed(path: "a.txt", .read, code: EACCES)
        #expect(other.code == "file.read-failed")
    }
}
