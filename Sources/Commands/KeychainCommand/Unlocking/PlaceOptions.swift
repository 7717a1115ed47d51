// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Keychain
import KeychainAgent

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which keychain, and its agent.
struct PlaceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The keychain's file.",
            discussion: "Without it, keychain/keychain.sqlite in the configuration folder (COUNTERSIGN_HOME).",
            valueName: "file"))
    var keychain: String?

    func path(_ environment: [String: String]) -> String {
        keychain
            ?? ConfigurationFolder.url(environment).appending(
                path: "keychain/keychain.sqlite", directoryHint: .notDirectory
            )
            .path
    }

    func places(_ console: Console) -> Keychain.Places { Keychain.Places(environment: console.environment) }

    func open(_ console: Console) async throws -> Keychain {
        try await Keychain.open(at: path(console.environment), places: places(console))
    }

    func agent(_ console: Console) -> KeychainAgentClient {
        KeychainAgentClient(socket: KeychainAgent.defaultSocket(console.environment))
    }

    /// Has the agent hold the keys of a keychain, and starts it where none is running.
    func hold(_ keychain: UnlockedKeychain, _ lifetime: AgentLifetime, on console: Console) async throws {
        let client = agent(console)
        try await client.hold(
            keychain.keys.agentKeys, for: keychain.keychain.id, lifetime: lifetime,
            startingAgentWith: [ExecutablePath.current ?? "countersign-keychain", "agent", client.socket])
    }
}

/// `countersign keychain agent SOCKET`: what the other commands start.
struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Hold the keys of unlocked keychains.", shouldDisplay: false)

    @Argument
    var socket: String

    func run() throws {
        // Its standard streams are closed, so an error could not be printed.
        try? KeychainAgent.serve(socket: socket)
    }
}
