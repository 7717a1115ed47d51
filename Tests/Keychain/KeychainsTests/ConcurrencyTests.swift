// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Secrets
import Testing
@testable import Keychains
import EssentialFoundation

@Suite(.timeLimit(.minutes(5))) struct ConcurrencyTests {
    @Test("Concurrent readers and writers get no false errors, and lose no changes")
    func noFalseAlarm() async throws {
        let test = try TestKeychain()
        let created = try await test.create()
        let item = try await created.add(.genericPassword(Secret("0"), service: "s", account: "0"))
        let keys = created.keys
        let rounds = 60
        // Each call opens the file and checks it against the remembered state, as the commands do.
        @Sendable func opened() async throws -> UnlockedKeychain { try await test.open().unlock(with: keys) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in 0..<2 {
                group.addTask {
                    for _ in 0..<rounds {
                        let keychain = try await opened()
                        let found = try await keychain.item(item.id)
                        guard case .password = try await keychain.secret(of: found) else {
                            Issue.record("reader \(reader): no password")
                            return
                        }
                    }
                }
            }
            group.addTask {
                for round in 0..<rounds {
                    let new = NewItem.genericPassword(Secret("\(round)"), service: "s", account: "\(round)")
                    try await opened().replace(item.id, by: new)
                }
            }
            group.addTask {
                for round in 0..<rounds { try await opened().add(.note(Secret("\(round)"), label: "n")) }
            }
            try await group.waitForAll()
        }
        #expect(try await opened().verify() == rounds + 1)
    }

    @Test("Concurrent edits of one item are all applied, each to the latest state")
    func edits() async throws {
        let test = try TestKeychain()
        let created = try await test.create()
        let id = try await created.add(.note(Secret(""), label: "n")).id
        let keys = created.keys
        let rounds = 20
        try await withThrowingTaskGroup(of: Void.self) { group in
            for editor in 0..<4 {
                group.addTask {
                    for _ in 0..<rounds {
                        try await test.open().unlock(with: keys).edit(id) { contents in
                            guard case .note(let text, _) = try contents.secret else { throw CancellationError() }
                            let comment = contents.item.comment
                            #expect(text.withUnsafeBytes { $0.elementsEqual(comment.utf8) })
                            let new = comment + "\(editor)"
                            return .note(Secret(new), label: "n", comment: new)
                        }
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<rounds {
                        // The item and its secret are from the same state.
                        try await test.open().unlock(with: keys).contents(of: id) { contents in
                            let secret = try contents.secret
                            #expect(secret == .note(Secret(contents.item.comment), attachments: []))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let comment = try await created.item(id).comment
        for editor in 0..<4 { #expect(comment.count { String($0) == "\(editor)" } == rounds) }
    }

    @Test("A rejection marks the current password, not the one that was read") func rejection() async throws {
        let test = try TestKeychain()
        let created = try await test.create()
        let keys = created.keys
        let space = try ProtectionSpace.example()
        try await created.save(.password(user: "mary", password: Secret("0")), for: space)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 1...40 {
                    let keychain = try await test.open().unlock(with: keys)
                    try await keychain.save(.password(user: "mary", password: Secret("\(round)")), for: space)
                    let item = try #require(try await keychain.items().first)
                    #expect(try await keychain.secret(of: item) == .password(Secret("\(round)")))
                }
            }
            group.addTask {
                for _ in 1...40 { try await test.open().unlock(with: keys).remove(for: space) }
            }
            try await group.waitForAll()
        }
    }

    @Test("The remembered state never decreases, in whichever order two writers remember") func memory() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        try await keychain.add(.note(Secret("x"), label: "x"))
        let memory = try #require(keychain.keychain.epochMemory(keychain.keys))
        let epoch = try memory.epoch()
        #expect(epoch > 0)
        try memory.remember(epoch + 2)
        try memory.remember(epoch + 1)
        #expect(try memory.epoch() == epoch + 2)
        await #expect(throws: KeychainError.rolledBack) { try await test.open().unlock(with: keychain.keys) }
        // An older state is accepted explicitly, unless another process has written in the meantime.
        try memory.remember(epoch, insteadOf: epoch + 1)
        #expect(try memory.epoch() == epoch + 2)
        try memory.remember(epoch, insteadOf: epoch + 2)
        #expect(try memory.epoch() == epoch)
    }

    @Test("A newer state from another device is remembered when it is opened") func newerState() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        try await keychain.add(.note(Secret("x"), label: "x"))
        let memory = try #require(keychain.keychain.epochMemory(keychain.keys))
        let elsewhere = Keychain.Places(deviceSecret: test.places.deviceSecret, rememberedStates: nil)
        let other = try await Keychain.open(at: test.path, places: elsewhere).unlock(with: keychain.keys)
        try await other.add(.note(Secret("y"), label: "y"))
        let epoch = try memory.epoch()
        _ = try await test.open().unlock(with: keychain.keys)
        #expect(try memory.epoch() == epoch + 1)
    }

    @Test("A keychain that another process is creating appears only when it is complete") func making() async throws {
        let test = try TestKeychain()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await test.create() }
            group.addTask {
                while true {
                    do {
                        let slots = try await test.open().slots
                        #expect(slots.count == 1)
                        return
                    } catch KeychainError.notFound {
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        await #expect(throws: KeychainError.exists(path: test.path)) { try await test.create() }
        let files = try FileManager.default.contentsOfDirectory(atPath: test.folder)
        #expect(files.allSatisfy { $0.hasPrefix("keychain.sqlite") && !$0.contains(".sqlite.") }, "\(files)")
    }
}
