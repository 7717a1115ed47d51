// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

/// A secret that opens a keychain by one of the key slots of its kind.
public enum UnlockMethod: Sendable {
    /// A passphrase, from which scrypt derives a key (RFC 7914).
    case passphrase(Secret)
    /// A PIN, which opens the keychain only together with this device's secret, and of which guesses are delayed (``PINPolicy``).
    case pin(Secret)
    /// A random code that was written down.
    case recoveryCode(RecoveryCode)
    /// The bytes of a file with a random key, 32 to 1,024 of them.
    case keyFile(Secret)
    /// A place outside the keychain that keeps a random key.
    case holder(any KeyHolder)

    var kind: KeySlot.Kind {
        switch self {
        case .passphrase: .passphrase
        case .pin: .pin
        case .recoveryCode: .recoveryCode
        case .keyFile: .keyFile
        case .holder: .holder
        }
    }

    /// - Throws: ``KeychainError/shortPIN(least:)`` and ``KeychainError/unsuitableKeyFile``.
    package func check(_ policy: PINPolicy) throws(KeychainError) {
        switch self {
        case .pin(let pin):
            let count = pin.withUnsafeBytes { $0.count { $0 & 0xC0 != 0x80 } }
            guard count >= PINPolicy.leastCount || policy.allowsShortPIN else {
                throw .shortPIN(least: PINPolicy.leastCount)
            }
        case .keyFile(let key):
            guard (32...1024).contains(key.withUnsafeBytes(\.count)) else { throw .unsuitableKeyFile }
        default: break
        }
    }
}

/// The properties of a keychain's slot for a key, which can be read without unlocking.
public struct KeySlot: Hashable, Sendable, Identifiable {
    /// A kind of unlock method.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// The slot of ``UnlockMethod/passphrase(_:)``.
        case passphrase = 1
        /// The slot of ``UnlockMethod/pin(_:)``.
        case pin = 2
        /// The slot of ``UnlockMethod/recoveryCode(_:)``.
        case recoveryCode = 3
        /// The slot of ``UnlockMethod/keyFile(_:)``.
        case keyFile = 4
        /// The slot of ``UnlockMethod/holder(_:)``.
        case holder = 5

        var usesScrypt: Bool { self == .passphrase || self == .pin }
    }

    /// The number of the slot in the keychain.
    public let id: Int64
    /// The kind of the method.
    public let kind: Kind
    /// How many wrong guesses there were since the last right one; counted for ``Kind/pin`` alone.
    public let failedAttempts: Int
    /// The number of wrong guesses in a row after which the slot is erased; `nil` for never.
    public let eraseAfter: Int?
}

/// The rules of a PIN's slot.
///
/// After 3 wrong guesses in a row, the next one has to wait 1 second, then 5, 60, 300 and 900 seconds, and from the eighth on an hour.
public struct PINPolicy: Hashable, Sendable {
    /// The fewest characters of a PIN, unless ``allowsShortPIN`` is set.
    public static let leastCount = 6

    /// The number of wrong guesses in a row after which the slot is erased, from 3; `nil` for never.
    public let eraseAfter: Int?
    /// Whether a PIN may have fewer than ``leastCount`` characters.
    public let allowsShortPIN: Bool

    /// Makes a policy; the default never erases the slot and allows no short PIN, and an `eraseAfter` of less than 3 means 3.
    public init(eraseAfter: Int? = nil, allowsShortPIN: Bool = false) {
        self.eraseAfter = eraseAfter.map { max($0, 3) }
        self.allowsShortPIN = allowsShortPIN
    }

    /// The seconds that must pass after a number of wrong guesses in a row.
    static func delay(after failures: Int) -> Int64 {
        let delays: [Int64] = [0, 0, 0, 1, 5, 60, 300, 900, 3600]
        return delays[min(max(failures, 0), delays.count - 1)]
    }
}

/// A place outside the keychain that keeps a random key for a key slot, such as the desktop's Secret Service.
public protocol KeyHolder: Sendable {
    /// Reads the key that is kept under a name, or keeps a new one in its place.
    ///
    /// - Parameters:
    ///   - name: The numbers of the keychain and of the slot, in hexadecimal.
    ///   - newKey: The key to keep from now on; `nil` to read the one that is kept.
    /// - Returns: The key that is kept now; `nil` for none.
    /// - Throws: An error where the place cannot be reached or refuses; it is thrown on to the caller of the keychain.
    func key(named name: String, keeping newKey: Secret?) async throws -> Secret?
}
