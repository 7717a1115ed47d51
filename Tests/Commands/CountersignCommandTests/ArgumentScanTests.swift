// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Foundation
import Testing

@testable import CommandSupport
@testable import CountersignCommand

@Suite("Command lines are scanned for options before they are parsed") struct ArgumentScanTests {
    @Test(
        "Names are found in groups, before values and up to --",
        arguments: [
            (["get", "URL", "-v", "--output", "-", "--pin=a"], ["-v", "--output", "--pin"]),
            (["get", "-vC", "-o", "a", "URL"], ["-v", "-C", "-o"]),
            (["get", "-vo", "-", "URL"], ["-v", "-o"]),
            (["get", "--user", "get", "-b", "a=b"], ["--user", "-b"]),
            (["get", "--", "-v", "--output"], []),
            (["trust", "list", "--json"], ["--json"]),
            (["get", "--outptu", "a"], ["--outptu"]),
        ])
    func uses(_ arguments: [String], spellings: [String]) throws {
        #expect(scan(arguments).uses.map(\.spelling) == spellings)
    }

    @Test("Subcommands are found by name") func path() throws {
        #expect(scan(["trust", "evaluate", "--host", "list"]).path == ["trust", "evaluate"])
    }

    @Test(
        "A second value for an option that has one is refused",
        arguments: [
            (["get", "URL", "--user", "a", "--user", "b"], "--user"),
            (["get", "URL", "--max-time", "1", "--max-time=2"], "--max-time"),
            (["get", "URL", "--proxy=a", "--proxy", "b"], "--proxy"),
            (["get", "URL", "-c", "a", "--cookie-jar", "b"], "--cookie-jar"),
            (["trust", "inspect", "host", "--svg", "a", "--svg", "b"], "--svg"),
            (["trust", "evaluate", "--chain", "c", "--host", "a", "--host", "b"], "--host"),
            (["lab", "--directory", "a", "--directory", "b"], "--directory"),
        ])
    func repetition(_ arguments: [String], option: String) {
        #expect(throws: UsageError.repeated(option)) { try CountersignCommand.command(for: arguments) }
    }

    @Test(
        "Repeatable options, flags and values that look like options are accepted",
        arguments: [
            ["get", "URL", "--anchor", "a", "--anchor", "b", "-v", "-v"],
            ["get", "URL", "-H", "A: b", "-H", "A: c", "--resolve", "a:1:1.1.1.1", "--resolve", "b:1:1.1.1.1"],
            ["post", "URL", "--data", "user", "--user", "user"],
        ])
    func noRepetition(_ arguments: [String]) {
        #expect(throws: Never.self) { try CountersignCommand.command(for: arguments) }
    }

    @Test("A command with subcommands has only the common options") func groups() throws {
        let flags = ["help", "version"]
        var commands: [any ParsableCommand.Type] = [CountersignCommand.self]
        while let command = commands.popLast() {
            commands += command.configuration.subcommands
            guard !command.configuration.subcommands.isEmpty else { continue }
            struct Description: Decodable {
                struct Command: Decodable {
                    let arguments: [CommandShape.Parameter]?
                }
                let command: Command
            }
            let text = Data(command._dumpHelp().utf8)
            let arguments = try JSONDecoder().decode(Description.self, from: text).command.arguments ?? []
            #expect(arguments.allSatisfy { flags.contains($0.preferredName?.name ?? "") }, "\(command)")
            let names = { (parameters: [CommandShape.Parameter]) in Set(parameters.flatMap { $0.names ?? [] }) }
            #expect(names(arguments) == names(CommandShape(of: command).parameters))
        }
    }

    private func scan(_ arguments: [String]) -> ArgumentScan {
        ArgumentScan(arguments, of: CommandShape(of: CountersignCommand.self))
    }
}
