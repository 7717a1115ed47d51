// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Testing
import TrustRecipes

@Suite struct TransparencyFlagTests {
    private static let logs = [TestLog("one", by: "A"), TestLog("two", by: "B")]

    @Test(
        "A certificate is trusted if enough logs of the list have issued timestamps",
        arguments: [
            (known: 2, rule: nil as String?, status: CommandStatus.done, words: "one (A)"),
            (known: 2, rule: "chrome", status: .done, words: "two (B)"),
            (known: 2, rule: "apple", status: .done, words: "two (B)"),
            (known: 1, rule: nil, status: .notTrusted, words: "trust.transparency-insufficient"),
        ])
    func embedded(known: Int, rule: String?, status: CommandStatus, words: String) async throws {
        let files = try ChainFiles(change: { issuer, recipe in
            let unsigned = try issuer.issue(recipe).certificate
            let list = try Self.logs.map { try $0.timestamp(beforeIssuing: unsigned, issuer: issuer.certificate) }
            return recipe.with { $0.extra.append(TestLog.certificateExtension(TestLog.list(list))) }
        })
        let run = try await files.evaluate(
            ["--log-list", files.logList(Self.logs.prefix(known))] + (rule.map { ["--transparency-rule", $0] } ?? []))
        #expect(run.status == status, "\(run.text)\(run.errors)")
        #expect(run.text.contains(words), "\(run.text)")
    }

    @Test("Timestamps from the TLS extension count as well") func tls() async throws {
        let files = try ChainFiles()
        let list = TestLog.list(try Self.logs.map { try $0.timestamp(for: files.leaf.certificate) })
        let timestamps = try files.folder.write(bytes: list, to: "timestamps")
        let arguments = ["--log-list", try files.logList(Self.logs[...])]
        let without = try await files.evaluate(arguments)
        #expect(without.status == .notTrusted && without.text.contains("trust.transparency-insufficient"))
        let with = try await files.evaluate(arguments + ["--tls-timestamps", timestamps])
        #expect(with.status == .done, "\(with.text)\(with.errors)")
        #expect(with.text.contains("one (A)"), "\(with.text)")
    }

    @Test(
        "A flag that needs the log list is refused without it",
        arguments: [["--transparency-rule", "apple"], ["--tls-timestamps", "file"]])
    func missingLogList(arguments: [String]) async throws {
        let run = try await ChainFiles().evaluate(arguments)
        #expect(run.status == .usage)
        #expect(run.errors.contains(arguments[0]) && run.errors.contains("--log-list"), "\(run.errors)")
    }

    @Test(
        "A file that is not a log list or a timestamp list is named in the error",
        arguments: ["--log-list", "--tls-timestamps"])
    func unreadable(flag: String) async throws {
        let files = try ChainFiles()
        let list = flag == "--log-list" ? [] : ["--log-list", try files.logList(Self.logs[...])]
        let run = try await files.evaluate(list + [flag, files.chain])
        #expect(run.status == .failed)
        #expect(run.errors.contains("chain.pem: The "), "\(run.errors)")
    }
}

extension ChainFiles {
    /// Writes a log list, and returns its path.
    fileprivate func logList(_ logs: ArraySlice<TestLog>) throws -> String {
        try folder.write(bytes: TestLog.json(Array(logs)), to: "log_list.json")
    }
}
