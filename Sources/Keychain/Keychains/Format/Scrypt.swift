// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import Secrets
internal import Synchronization

/// The scrypt cost parameters for deriving a key from a passphrase (RFC 7914).
struct Scrypt: Hashable {
    /// The minimum cost, which needs 128 MiB with a block size of 8.
    static let minimumRounds: Int64 = 1 << 17
    static let maximumRounds: Int64 = 1 << 20
    static let maximumByteCount: Int64 = 2 << 30

    let rounds: Int64
    let blockSize: Int64
    let parallelism: Int64

    /// Returns `nil` for parameters outside the limits, with which scrypt would end the process or use all of its
    /// memory.
    init?(rounds: Int64, blockSize: Int64 = 8, parallelism: Int64 = 1) {
        guard (2...Self.maximumRounds).contains(rounds), rounds & (rounds - 1) == 0, (1...16).contains(blockSize),
            (1...4).contains(parallelism), 128 * rounds * blockSize <= Self.maximumByteCount
        else { return nil }
        (self.rounds, self.blockSize, self.parallelism) = (rounds, blockSize, parallelism)
    }

    private init(rounds: Int64) { (self.rounds, blockSize, parallelism) = (rounds, 8, 1) }

    /// The cost of new slots, once it is measured; tests lower it, because they create many slots.
    static let known = Mutex<Scrypt?>(nil)

    /// The result of ``measured()``, which is measured once in a process.
    static var calibrated: Scrypt {
        known.withLock { known in
            let cost = known ?? measured()
            known = cost
            return cost
        }
    }

    /// Measures the cost that takes this machine half a second to a second and at least 128 MiB.
    static func measured() -> Scrypt {
        var cost = Scrypt(rounds: minimumRounds)
        while cost.rounds < maximumRounds {
            let start = ContinuousClock.now
            _ = try? cost.key(from: Secret("calibration"), salt: [1])
            if ContinuousClock.now - start >= .milliseconds(400) { break }
            cost = Scrypt(rounds: cost.rounds * 2)
        }
        return cost
    }

    func key(from password: Secret, salt: [UInt8]) throws(KeychainError) -> SymmetricKey {
        var bytes = password.withUnsafeBytes { Array($0) }
        defer { bytes.erase() }
        do {
            return try KDF.Scrypt.deriveKey(
                from: bytes, salt: salt, outputByteCount: 32, rounds: Int(rounds), blockSize: Int(blockSize),
                parallelism: Int(parallelism), maxMemory: Int(Self.maximumByteCount) + (64 << 20))
        } catch {
            throw .outOfMemory
        }
    }
}
