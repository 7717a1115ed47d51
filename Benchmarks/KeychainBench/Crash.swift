// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import EssentialFoundation
import Keychains
import KeychainAgents
import POSIX
import Secrets

/// Adds, replaces and removes items until the process is killed.
///
/// It announces each change, and acknowledges it when it is complete.
struct WriteUntilKilled: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write to a keychain until killed by scripts/check/keychain-crash.")

    @Argument(help: "The keychain's file, which is created if it is missing. Its keys are in FILE.keys, in plaintext.")
    var file: String

    func run() async throws {
        let keychain = try await CrashFile(path: file).open()
        var ids = try await keychain.items().map(\.id)
        for number in 0... {
            let text = "\(UInt64.random(in: 0 ... .max))"
            let note = NewItem.note(
                Secret(text), attachments: [.init(name: "a", bytes: [UInt8](repeating: 1, count: number % 7 * 30_000))],
                label: text)
            switch number % 4 {
            case 2 where !ids.isEmpty:
                let id = ids[Int.random(in: ids.indices)]
                say("begin", id, text)
                try await keychain.replace(id, by: note)
                say("done", id, text)
            // The number of items stays small, because all items are checked after each kill.
            case 3 where ids.count > 20, 1 where ids.count > 100:
                let id = ids.remove(at: Int.random(in: ids.indices))
                say("begin", id, "-")
                try await keychain.remove([id])
                say("done", id, "-")
            default:
                let item = try await keychain.add(note)
                ids.append(item.id)
                say("done", item.id, text)
            }
        }
    }

    private func say(_ verb: String, _ id: KeychainItem.ID, _ text: String) {
        let line = Array("\(verb) \(id) \(text)\n".utf8)
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Checks a keychain, and prints its contents.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Verify a keychain, and print its items.")

    @Argument(help: "The keychain's file.")
    var file: String

    func run() async throws {
        let keychain = try await CrashFile(path: file).open()
        _ = try await keychain.verify()
        for item in try await keychain.items() {
            guard case .note(let text, _) = try await keychain.secret(of: item),
                text.withUnsafeBytes({ $0.elementsEqual(item.label.utf8) })
            else { throw ExitCode.failure }
            print(item.id, item.label)
        }
    }
}

/// A test keychain with its keys in a separate file, which saves the key derivation of a second at each start.
struct CrashFile {
    let path: String
    var places: Keychain.Places { Keychain.Places(deviceSecret: path + ".device", rememberedStates: path + ".states") }

    func open() async throws -> UnlockedKeychain {
        if let keys = try? Data(contentsOf: URL(filePath: path + ".keys")), keys.count == 160 {
            let held = AgentKeys(
                afterFirstUnlock: Secret(utf8: Array(keys.prefix(128))),
                whenUnlocked: Secret(utf8: Array(keys.suffix(32))))
            guard let ring = KeyRing(held) else { throw ExitCode.failure }
            return try await Keychain.open(at: path, places: places).unlock(with: ring)
        }
        let keychain = try await Keychain.create(at: path, passphrase: Secret("passphrase"), places: places)
        let keys = keychain.keys.agentKeys
        let bytes = [keys.afterFirstUnlock, keys.whenUnlocked ?? Secret("")].flatMap {
            $0.withUnsafeBytes { Array($0) }
        }
        try Data(bytes).write(to: URL(filePath: path + ".keys"))
        return keychain
    }
}
