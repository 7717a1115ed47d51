// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import GRDB
import Secrets
import Testing

@testable import Keychains

import Foundation

@Suite(.timeLimit(.minutes(5))) struct FaultTests {
    /// A small file system in memory, at a folder that is removed at the end.
    final class SmallDisk {
        let folder = FileManager.default.temporaryDirectory.path + "/disk-\(UUID().uuidString)"
        var path: String { folder + "/keychain.sqlite" }
        let places: Keychain.Places
        private let isMounted: Bool

        /// Mounts the disk, or prints the reason and returns `nil` if this process may not mount.
        init?(kibibytes: Int) throws {
            places = Keychain.Places(deviceSecret: folder + "-state/device", rememberedStates: nil)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            isMounted = try Self.run("mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k,mode=0700", "tmpfs", folder)
            guard isMounted else {
                print("Skipped: this process may not mount a tmpfs.")
                return nil
            }
        }

        deinit {
            if isMounted { _ = try? Self.run("umount", "-l", folder) }
            try? FileManager.default.removeItem(atPath: folder)
            try? FileManager.default.removeItem(atPath: folder + "-state")
        }

        func set(readOnly: Bool) throws -> Bool {
            try Self.run("mount", "-o", "remount,\(readOnly ? "ro" : "rw")", folder)
        }

        /// Fills the disk except for some space.
        func fill(leaving kibibytes: Int = 0) throws {
            let file = folder + "/filling"
            #expect(FileManager.default.createFile(atPath: file, contents: nil))
            let handle = try #require(FileHandle(forWritingAtPath: file))
            defer { try? handle.close() }
            var count = 0
            while (try? handle.write(contentsOf: Data(count: 4096))) != nil { count += 4096 }
            try handle.truncate(atOffset: UInt64(max(count - kibibytes << 10, 0)))
        }

        /// Frees the space, even if a program that another test started has inherited the open file.
        func empty() throws {
            let file = folder + "/filling"
            try FileHandle(forWritingTo: URL(filePath: file)).truncate(atOffset: 0)
            try FileManager.default.removeItem(atPath: file)
        }

        private static func run(_ arguments: String...) throws -> Bool {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = arguments
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }

    @Test("A keychain on a full disk keeps acknowledged items, and works again when there is space")
    func fullDisk() async throws {
        guard let disk = try SmallDisk(kibibytes: 8_192) else { return }
        let cost = try #require(TestKeychain.cost)
        var keychain: UnlockedKeychain? = try await Keychain.create(
            at: disk.path, passphrase: TestKeychain.passphrase, places: disk.places, cost: cost)
        let keys = try #require(keychain?.keys)
        try disk.fill(leaving: 1_024)
        var acknowledged: [KeychainItem] = []
        var failure: KeychainError?
        while failure == nil, acknowledged.count < 1000 {
            do {
                let item = try await keychain?.add(.note(Secret("note \(acknowledged.count)"), label: "x"))
                acknowledged.append(try #require(item))
            } catch let error as KeychainError {
                failure = error
            }
        }
        #expect(failure == .diskFull && !acknowledged.isEmpty)
        // The items are checked by the writer, by another process, and after space is available again.
        #expect(try await keychain?.verify() == acknowledged.count)
        #expect(
            try await Keychain.open(at: disk.path, places: disk.places).unlock(with: keys).items() == acknowledged)
        keychain = nil
        try disk.empty()
        let opened = try await Keychain.open(at: disk.path, places: disk.places).unlock(with: keys)
        #expect(try await opened.items() == acknowledged)
        try await opened.add(.note(Secret("after"), label: "x"))
        #expect(try await opened.verify() == acknowledged.count + 1)
    }

    @Test("A failed creation leaves no files, and a second attempt succeeds", arguments: [0, 16, 64, 128, 256])
    func creatingOnFullDisk(kibibytes: Int) async throws {
        guard let disk = try SmallDisk(kibibytes: 8_192) else { return }
        let cost = try #require(TestKeychain.cost)
        try disk.fill(leaving: kibibytes)
        await #expect(throws: KeychainError.diskFull) {
            try await Keychain.create(
                at: disk.path, passphrase: TestKeychain.passphrase, places: disk.places, cost: cost)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.folder) == ["filling"])
        try disk.empty()
        let keychain = try await Keychain.create(
            at: disk.path, passphrase: TestKeychain.passphrase, places: disk.places, cost: cost)
        #expect(try await keychain.verify() == 0)
    }

    @Test("A failed backup leaves no files") func backupToFullDisk() async throws {
        guard let disk = try SmallDisk(kibibytes: 8_192) else { return }
        let test = try TestKeychain()
        let keychain = try await test.create()
        try disk.fill(leaving: 16)
        await #expect(throws: KeychainError.diskFull) { try await keychain.backup(to: disk.path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.folder) == ["filling"])
        try disk.empty()
        try await keychain.backup(to: disk.path)
    }

    @Test("A read-only disk is reported, and the keychain works again when the disk is writable")
    func readOnlyDisk() async throws {
        guard let disk = try SmallDisk(kibibytes: 8_192) else { return }
        let cost = try #require(TestKeychain.cost)
        var keychain: UnlockedKeychain? = try await Keychain.create(
            at: disk.path, passphrase: TestKeychain.passphrase, places: disk.places, cost: cost)
        let keys = try #require(keychain?.keys)
        try await keychain?.add(.note(Secret("one"), label: "x"))
        keychain = nil
        guard try disk.set(readOnly: true) else {
            print("Skipped: the disk cannot be made read-only.")
            return
        }
        await #expect(throws: KeychainError.readOnly) {
            let opened = try await Keychain.open(at: disk.path, places: disk.places).unlock(with: keys)
            try await opened.add(.note(Secret("two"), label: "x"))
        }
        await #expect(throws: KeychainError.readOnly) {
            try await Keychain.create(
                at: disk.folder + "/other.sqlite", passphrase: TestKeychain.passphrase, places: disk.places, cost: cost)
        }
        #expect(try disk.set(readOnly: false))
        let opened = try await Keychain.open(at: disk.path, places: disk.places).unlock(with: keys)
        try await opened.add(.note(Secret("two"), label: "x"))
        #expect(try await opened.verify() == 2)
    }

    @Test("Empty files and files of other kinds are refused", arguments: ["", "no database, but a text\n"])
    func otherFiles(text: String) async throws {
        let test = try TestKeychain()
        try Data(text.utf8).write(to: URL(filePath: test.path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: test.path)
        await #expect(throws: KeychainError.notKeychain(path: test.path)) { try await test.open() }
        await #expect(throws: KeychainError.exists(path: test.path)) { try await test.create() }
        #expect(try Data(contentsOf: URL(filePath: test.path)) == Data(text.utf8))
    }

    @Test("A database of another program is refused, and not changed") func otherDatabase() async throws {
        let test = try TestKeychain()
        let queue = try DatabaseQueue(path: test.path)
        try await queue.write { try $0.execute(sql: "CREATE TABLE cookies (name TEXT)") }
        try queue.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: test.path)
        await #expect(throws: KeychainError.notKeychain(path: test.path)) { try await test.open() }
    }

    /// The state of the log after a process was killed.
    enum Log: CaseIterable { case retained, removed, cut, alone }

    @Test(
        "A remaining log is applied; a missing or truncated one never leads to a partial change",
        arguments: Log.allCases)
    func log(_ log: Log) async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        try await keychain.add(.note(Secret("one"), label: "x"))
        try keychain.keychain.file.checkpoint()
        try await keychain.add(.note(Secret("two"), label: "x"))
        // A killed process leaves the files as they are while it runs.
        let (database, wal) = (
            try Data(contentsOf: URL(filePath: test.path)), try Data(contentsOf: URL(filePath: test.path + "-wal"))
        )
        let other = try TestKeychain()
        let files: [(String, Data?)] =
            switch log {
            case .retained: [("", database), ("-wal", wal)]
            case .removed: [("", database)]
            case .cut: [("", database), ("-wal", wal.dropLast(wal.count / 3))]
            case .alone: [("", Data()), ("-wal", wal)]
            }
        for (suffix, bytes) in files {
            try bytes?.write(to: URL(filePath: other.path + suffix))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other.path + suffix)
        }
        let places = Keychain.Places(deviceSecret: other.folder + "/device", rememberedStates: nil)
        if log == .alone {
            await #expect(throws: KeychainError.self) {
                try await Keychain.open(at: other.path, places: places).unlock(with: keychain.keys).verify()
            }
            return
        }
        let opened = try await Keychain.open(at: other.path, places: places).unlock(with: keychain.keys)
        #expect(try await opened.verify() == (log == .retained ? 2 : 1))
        try await opened.add(.note(Secret("three"), label: "x"))
        #expect(try await opened.verify() == (log == .retained ? 3 : 2))
    }

    @Test("Concurrent writers lose no changes")
    func writers() async throws {
        let test = try TestKeychain()
        let keys = try await test.create().keys
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let keychain = try await test.open().unlock(with: keys)
                    for number in 0..<20 {
                        try await keychain.add(.note(Secret("\(writer) \(number)"), label: "\(writer)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        let opened = try await test.open().unlock(with: keys)
        #expect(try await opened.verify() == 80)
        #expect(Set(try await opened.items().map(\.id)).count == 80)
    }
}
