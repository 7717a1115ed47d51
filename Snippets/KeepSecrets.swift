// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the articles of the modules Keychains and KeychainAgents.

import Countersign
import Foundation
import Keychains
import KeychainAgents

func keep(at file: URL, passphrase: Secret, picture: [UInt8]) async throws {
    let places = Keychain.Places(environment: ProcessInfo.processInfo.environment)
    let keychain = try await Keychain.create(at: file, passphrase: passphrase, places: places)

    try await keychain.store([
        .note(
            Secret("Socks, and the red bicycle"), attachments: [.init(name: "bicycle.png", bytes: picture)],
            label: "Presents")
    ])

    var query = KeychainQuery(.note)
    query.label = "presents"
    for item in try await keychain.items(query) {
        print(item.label, try await keychain.attachment("bicycle.png", of: item).count)
    }
}

func configure(_ keychain: UnlockedKeychain) async throws -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.credentialStore = keychain
    configuration.policies = try await keychain.trustSettings.policies(configuration.policies)
    configuration.handlers[.clientCertificate] = .identities(try await keychain.identities)
    return HTTPSession(configuration)
}

func serveKeys() throws {
    KeychainAgent.protectMemory()
    try KeychainAgent.serve(socket: KeychainAgent.defaultSocket(ProcessInfo.processInfo.environment))
}

func holdKeys(
    of unlocked: UnlockedKeychain, _ keychain: Keychain, socket: URL, program: String
) async throws -> UnlockedKeychain? {
    let client = KeychainAgentClient(socket: socket)
    try await client.hold(unlocked.keys.agentKeys, for: keychain.id, startingAgentWith: [program, "agent"])

    if let keys = try client.keys(for: keychain.id).flatMap(KeyRing.init) {
        return try await keychain.unlock(with: keys)
    }
    return nil
}
