// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import PolicyFile

/// `countersign trust policy-schema`.
struct PolicySchemaCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy-schema",
        abstract: "Print the JSON Schema of policy files, for editors.",
        discussion: """
            A line '# yaml-language-server: $schema=trust-policy.json' in a policy file names it to editors that use \
            yaml-language-server.

            Example: countersign trust policy-schema > trust-policy.json
            """)

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        try console.print(json: PolicySchema())
        return .done
    }
}
