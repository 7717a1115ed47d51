// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Secrets
import Synchronization
import Testing
@testable import Keychains
import EssentialFoundation

@Suite(.timeLimit(.minutes(1))) struct SlotTests {
    /// A key holder in memory that replaces a desktop's keyring service.
    final class MemoryKeyHolder: KeyHolder {
        let keys = Mutex<[String: Secret]>([:])

        func key(named name: String, keeping newKey: Secret?) async throws -> Secret? {
            keys.withLock { keys in
                if let newKey { keys[name] = newKey }
                return keys[name]
            }
        }
    }

    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("Each kind of slot opens its own keychain, but no other one")
    func kinds() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let code = RecoveryCode()
        let file = Secret(utf8: (0..<32).map { UInt8($0) })
        let memory = MemoryKeyHolder()
        let methods: [(right: UnlockMethod, wrong: UnlockMethod)] = [
            (.passphrase(TestKeychain.passphrase), .passphrase(Secret("correct horse"))),
            (.pin(Secret("271828")), .pin(Secret("271829"))), (.recoveryCode(code), .recoveryCode(RecoveryCode())),
            (.keyFile(file), .keyFile(Secret(utf8: [UInt8](repeating: 1, count: 32)))),
            (.holder(memory), .holder(MemoryKeyHolder())),
        ]
        for method in methods.dropFirst() {
            let locked = keychain.keychain
            await #expect(throws: KeychainError.noSlot(method.right.kind)) {
                try await locked.unlock(with: method.right)
            }
            try await keychain.addSlot(method.right, cost: method.right.kind.usesScrypt ? TestKeychain.cost : nil)
        }
        let locked = try await test.open()
        for method in methods {
            let error: KeychainError = method.right.kind == .holder ? .noHeldKey : .wrongPassphrase
            await #expect(throws: error) { try await locked.unlock(with: method.wrong) }
            _ = try await locked.unlock(with: method.right)
        }
        #expect(try await locked.slots.map(\.kind) == [.passphrase, .pin, .recoveryCode, .keyFile, .holder])
    }

    @Test("A new passphrase replaces the old one, and other slots are unchanged")
    func changePassphrase() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let code = RecoveryCode()
        try await keychain.addSlot(.recoveryCode(code), cost: nil)
        try await keychain.changePassphrase(to: Secret("new"), cost: try #require(TestKeychain.cost))
        let locked = try await test.open()
        await #expect(throws: KeychainError.wrongPassphrase) {
            try await locked.unlock(with: .passphrase(TestKeychain.passphrase))
        }
        _ = try await locked.unlock(with: .passphrase(Secret("new")))
        _ = try await locked.unlock(with: .recoveryCode(code))
    }

    @Test("Concurrently added and replaced slots are all stored") func slotsAtOnce() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let cost = try #require(TestKeychain.cost)
        let pins = (0..<4).map { Secret("41820\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for pin in pins { group.addTask { try await keychain.addSlot(.pin(pin), cost: cost) } }
            group.addTask { try await keychain.changePassphrase(to: Secret("new"), cost: cost) }
            try await group.waitForAll()
        }
        let locked = try await test.open()
        #expect(try await locked.slots.map(\.kind).count { $0 == .pin } == pins.count)
        #expect(try await locked.slots.count == pins.count + 1)
        _ = try await locked.unlock(with: .passphrase(Secret("new")))
        for pin in pins { _ = try await locked.unlock(with: .pin(pin)) }
    }

    @Test("The last slot cannot be removed") func lastSlot() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        await #expect(throws: KeychainError.lastSlot) { try await keychain.removeSlot(1) }
        try await keychain.addSlot(.recoveryCode(RecoveryCode()), cost: nil)
        try await keychain.removeSlot(1)
        #expect(try await keychain.keychain.slots.map(\.kind) == [.recoveryCode])
    }

    @Test("Wrong PINs are delayed, also across processes, until a right one")
    func delays() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        try await keychain.addSlot(.pin(Secret("271828")), cost: TestKeychain.cost)
        var time = start
        for delay: Double in [0, 0, 0, 1, 5, 60, 300, 900, 3600, 3600] {
            let locked = try await test.open()
            let (early, end) = (time + delay - 1, time + delay)
            if delay > 0 {
                await #expect(throws: KeychainError.tooManyAttempts(until: end)) {
                    try await locked.unlock(with: .pin(Secret("271828")), at: early)
                }
                // Setting the clock back does not end the delay.
                await #expect(throws: KeychainError.tooManyAttempts(until: end)) {
                    try await locked.unlock(with: .pin(Secret("271828")), at: Date(timeIntervalSince1970: 0))
                }
            }
            time = end
            await #expect(throws: KeychainError.wrongPassphrase) {
                try await locked.unlock(with: .pin(Secret("000000")), at: end)
            }
        }
        let locked = try await test.open()
        #expect(try await locked.slots.map(\.failedAttempts) == [0, 10])
        _ = try await locked.unlock(with: .pin(Secret("271828")), at: time + 3600)
        #expect(try await locked.slots.map(\.failedAttempts) == [0, 0])
    }

    @Test("A PIN is erased after the configured number of failures, and the passphrase remains")
    func erasing() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        try await keychain.addSlot(.pin(Secret("271828")), policy: PINPolicy(eraseAfter: 3), cost: TestKeychain.cost)
        let locked = try await test.open()
        for _ in 0..<3 {
            await #expect(throws: KeychainError.wrongPassphrase) {
                try await locked.unlock(with: .pin(Secret("000000")), at: start)
            }
        }
        await #expect(throws: KeychainError.erased) { try await locked.unlock(with: .pin(Secret("271828")), at: start) }
        await #expect(throws: KeychainError.noSlot(.pin)) {
            try await locked.unlock(with: .pin(Secret("271828")), at: start + 9999)
        }
        _ = try await locked.unlock(with: .passphrase(TestKeychain.passphrase))
    }

    @Test("A PIN does not work without the device's secret")
    func otherDevice() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        try await keychain.addSlot(.pin(Secret("271828")), cost: TestKeychain.cost)
        try FileManager.default.removeItem(atPath: test.places.deviceSecret)
        let locked = try await test.open()
        await #expect(throws: KeychainError.notOnThisDevice) { try await locked.unlock(with: .pin(Secret("271828"))) }
        // The attempts are not counted, because they could erase the slot.
        #expect(try await locked.slots.map(\.failedAttempts) == [0, 0])
    }

    @Test("A short PIN is refused unless allowed, and so is a short key file")
    func shortSecrets() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        await #expect(throws: KeychainError.shortPIN(minimum: 6)) { try await keychain.addSlot(.pin(Secret("2718"))) }
        try await keychain.addSlot(
            .pin(Secret("2718")), policy: PINPolicy(allowsShortPIN: true), cost: TestKeychain.cost)
        _ = try await keychain.keychain.unlock(with: .pin(Secret("2718")))
        await #expect(throws: KeychainError.unsuitableKeyFile) {
            try await keychain.addSlot(.keyFile(Secret(utf8: [UInt8](repeating: 1, count: 31))))
        }
    }

    @Test("A recovery code is read in any notation, and a typing error is reported")
    func recoveryCode() throws {
        let code = RecoveryCode()
        let text = code.text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        #expect(text.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{4}-){8}[0-9A-HJKMNP-TV-Z]{4}/) != nil)
        let typed = text.lowercased().replacing("-", with: " ").replacing("0", with: "o").replacing("1", with: "L")
        #expect(try RecoveryCode(Secret(typed)).bytes == code.bytes)
        var changed = 0
        for (index, character) in text.enumerated() where character != "-" {
            var other = Array(text)
            other[index] = character == "7" ? "8" : "7"
            if (try? RecoveryCode(Secret(String(other)))) != nil { changed += 1 }
        }
        #expect(changed == 0)
        for wrong in ["", "2KQ7", text + "7", String(text.dropLast()), text.replacing("-", with: "U")] {
            #expect(throws: KeychainError.malformedRecoveryCode) { try RecoveryCode(Secret(wrong)) }
        }
    }

    @Test(
        "An excessive cost in a file is refused before it is tried",
        arguments: [
            (0, 8, 1), (1, 8, 1), (3, 8, 1), (1 << 21, 8, 1), (1 << 60, 8, 1), (.min, 8, 1), (1 << 17, 0, 1),
            (1 << 17, 17, 1), (1 << 17, 8, 0), (1 << 17, 8, 5), (1 << 20, 16, 1),
        ] as [(Int64, Int64, Int64)])
    func cost(rounds: Int64, blockSize: Int64, parallelism: Int64) {
        let cost = Scrypt(rounds: rounds, blockSize: blockSize, parallelism: parallelism)
        // A cost of 2 GiB is the maximum.
        #expect((cost == nil) == ((rounds, blockSize) != (1 << 20, 16)))
    }

    @Test("New slots use at least 128 MiB") func calibration() {
        let cost = Scrypt.measured()
        #expect(cost.rounds * cost.blockSize * 128 >= 128 << 20)
    }
}
