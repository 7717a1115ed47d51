// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import Challenges
import CommandSupport
import ErrorExplanations
import Foundation
import Keychains
import KeychainService

/// `countersign keychain serve`, which `countersign get --keychain` starts.
struct ServeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Answer requests of the command on standard input.", shouldDisplay: false)

    @OptionGroup
    var options: KeychainOptions

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        // Standard input is connected to the other command, and the user is at its terminal.
        let asking = console.asking(console.errorIsTerminal ? TerminalPrompter() : nil)
        var keychain: UnlockedKeychain?
        while let line = readLine() {
            let response: KeychainResponse
            do {
                let request = try JSONDecoder().decode(KeychainRequest.self, from: Data(line.utf8))
                let opened: UnlockedKeychain
                if let keychain { opened = keychain } else { opened = try await options.unlocked(on: asking) }
                keychain = opened
                response = try await opened.response(to: request)
            } catch {
                response = KeychainResponse(Failure(error).explanation)
            }
            try console.write(Array(try JSONEncoder().encode(response)) + [0x0A])
        }
        return .done
    }
}

extension UnlockedKeychain {
    fileprivate func response(to request: KeychainRequest) async throws -> KeychainResponse {
        switch request {
        case .read(let space):
            return .login(try await read(for: space.space()).flatMap(KeychainRequest.Login.init))
        case .save(let space, let login):
            try await save(login.credential, for: space.space())
            return .done
        case .remove(let space):
            try await remove(for: space.space())
            return .done
        case .trustSettings: return .trustSettings(try await trustSettings.entries.map { try .init($0) })
        case .identity(let label):
            var query = KeychainQuery(.identity)
            query.label = label
            let (found, damage) = try await contents(of: query) { ($0.item, try $0.secret) }
            let named = found.filter { $0.0.label == label }
            // A damaged identity may be the requested one. The request then fails, instead of returning an older
            // identity or none.
            let isMeant = { (damage: KeychainDamage) in
                guard case .secret(let item) = damage else { return named.isEmpty }
                return item.label == label && named.allSatisfy { $0.0.isOlder(than: item) }
            }
            if let damage = damage.first(where: isMeant) { throw damage.error }
            let newest = named.max { $0.0.isOlder(than: $1.0) }
            guard case .identity(let identity)? = newest?.1 else {
                return .identities([])
            }
            return .identities([try .init(.init(identity, host: nil))])
        case .saveIdentity(let candidate, let label):
            try await store([.identity(try candidate.candidate().identity, label: label)])
            return .done
        case .identities: return .identities(try await identities.map { try .init($0) })
        }
    }
}
