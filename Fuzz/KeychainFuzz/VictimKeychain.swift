// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Dispatch
import Foundation
import Keychains
import KeychainAgents
import Secrets

/// A small keychain whose file is repeatedly changed and opened.
struct VictimKeychain {
    private let folder: String
    private let file: [UInt8]
    private let keys: KeyRing
    private let secrets: [KeychainItem.ID: ItemSecret]

    private var places: Keychain.Places { Keychain.Places(deviceSecret: folder + "/device", rememberedStates: nil) }

    init() throws {
        let folder = NSTemporaryDirectory() + "keychain-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let path = folder + "/keychain.sqlite"
        let places = Keychain.Places(deviceSecret: folder + "/device", rememberedStates: nil)
        (keys, secrets) = try Self.wait {
            let keychain = try await Keychain.create(at: path, passphrase: Secret("swordfish"), places: places)
            let items = try await keychain.add([
                .genericPassword(Secret("one"), service: "backup", account: "root"),
                .note(Secret("two"), attachments: [.init(name: "a.bin", bytes: [1, 2, 3])], label: "Note"),
            ])
            try await keychain.compact()
            var secrets: [KeychainItem.ID: ItemSecret] = [:]
            for item in items { secrets[item.id] = try await keychain.secret(of: item) }
            return (keychain.keys, secrets)
        }
        self.folder = folder
        // The log is empty after the only connection was closed.
        file = Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// Opens the file with changes, each of which has an offset of three bytes and a value.
    func check(changedBy changes: [UInt8]) {
        var changed = file
        for start in stride(from: 0, to: changes.count - 3, by: 4) {
            let offset = changes[start..<(start + 3)].reduce(0) { $0 << 8 | Int($1) }
            changed[offset % changed.count] = changes[start + 3]
        }
        let path = folder + "/changed.sqlite"
        for termination in ["", "-wal", "-shm"] { unlink(path + termination) }
        _ = FileManager.default.createFile(
            atPath: path, contents: Data(changed), attributes: [.posixPermissions: 0o600])
        do {
            try Self.wait { [places, keys, secrets] in
                let keychain = try await Keychain.open(at: path, places: places).unlock(with: keys)
                for item in try await keychain.items() {
                    let secret = try await keychain.secret(of: item)
                    precondition(secret == secrets[item.id], "another secret")
                }
            }
        } catch {
            precondition(error is KeychainError, "an unexplained error: \(error)")
        }
    }

    private final class Outcome<Value>: @unchecked Sendable {
        var result: Result<Value, any Error>?
    }

    private static func wait<Value: Sendable>(_ body: @Sendable @escaping () async throws -> Value) throws -> Value {
        let (outcome, end) = (Outcome<Value>(), DispatchSemaphore(value: 0))
        Task {
            do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
            end.signal()
        }
        end.wait()
        guard let result = outcome.result else { fatalError("no result") }
        return try result.get()
    }
}
