// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// One test of curl's suite: what is served, what is called, and what must have been received.
struct CurlTest: Sendable {
    /// A file that is there before the command is called.
    struct File: Sendable {
        let path: String
        let content: [UInt8]
    }

    let number: Int
    private let file: TestFile

    init(number: Int, file: TestFile) {
        (self.number, self.file) = (number, file)
    }

    var command: String { file.section("command", in: "client")?.text ?? "" }
    var standardInput: [UInt8] { file.section("stdin", in: "client")?.content ?? [] }
    var serverCommands: Set<ServerCommand> {
        Set((file.section("servercmd", in: "reply")?.words ?? []).compactMap(ServerCommand.init))
    }

    var environment: [String: String] {
        let pairs = (file.section("setenv", in: "client")?.words ?? []).map { $0.split(separator: "=", maxSplits: 1) }
        return Dictionary(
            pairs.filter { !$0.isEmpty }.map { (String($0[0]), $0.count > 1 ? String($0[1]) : "") }
        ) { _, last in last }
    }

    var files: [File] {
        file.sections("file", in: "client").compactMap { section in
            section.attributes["name"].map { File(path: $0, content: section.content) }
        }
    }

    /// What a server answers with; `nil` where the test has nothing of the name.
    func reply(_ name: String) -> [UInt8]? {
        file.section(name, in: "reply")?.content
    }

    /// - Returns: `nil` where the test does not say.
    func expectedRequests(at role: ServerRole) -> ExpectedRequests? {
        file.section(role == .origin ? "protocol" : "proxy", in: "verify").map(ExpectedRequests.init)
    }

    /// Lines that differ from run to run.
    var strippedLines: [String] { file.section("strip", in: "verify")?.words ?? [] }
}
