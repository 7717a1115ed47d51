// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

/// A secret that opens a keychain through a key slot of its kind.
@nonexhaustive
public enum UnlockMethod: Sendable {
    /// A passphrase, from which scrypt derives a key (RFC 7914).
    case passphrase(Secret)
    /// A PIN, which opens the keychain only together with the device secret; guesses are delayed (``PINPolicy``).
    case pin(Secret)
    /// A random code that the user has written down.
    case recoveryCode(RecoveryCode)
    /// The content of a key file: 32 to 1,024 random bytes.
    case keyFile(Secret)
    /// A store outside the keychain that holds a random key.
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

    /// - Throws: ``KeychainError/shortPIN(minimum:)`` and ``KeychainError/unsuitableKeyFile``.
    package func check(_ policy: PINPolicy) throws(KeychainError) {
        switch self {
        case .pin(let pin):
            let count = pin.withUnsafeBytes { $0.count { $0 & 0xC0 != 0x80 } }
            guard count >= PINPolicy.minimumLength || policy.allowsShortPIN else {
                throw .shortPIN(minimum: PINPolicy.minimumLength)
            }
        case .keyFile(let key):
            guard (32...1024).contains(key.withUnsafeBytes(\.count)) else { throw .unsuitableKeyFile }
        default: break
        }
    }
}

/// The properties of a key slot, which can be read without unlocking.
public struct KeySlot: Hashable, Sendable, Identifiable {
    /// A kind of unlock method.
    @nonexhaustive
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// The kind of ``UnlockMethod/passphrase(_:)``.
        case passphrase = 1
        /// The kind of ``UnlockMethod/pin(_:)``.
        case pin = 2
        /// The kind of ``UnlockMethod/recoveryCode(_:)``.
        case recoveryCode = 3
        /// The kind of ``UnlockMethod/keyFile(_:)``.
        case keyFile = 4
        /// The kind of ``UnlockMethod/holder(_:)``.
        case holder = 5

        var usesScrypt: Bool { self == .passphrase || self == .pin }
    }

    /// The number of the slot in the keychain.
    public let id: Int64
    /// The kind of the method.
    public let kind: Kind
    /// The number of wrong guesses since the last right one, which is counted for ``Kind/pin`` only.
    public let failedAttempts: Int
    /// The number of wrong guesses in a row after which the slot is erased; `nil` for never.
    public let eraseAfter: Int?
}

/// The rules for a PIN.
///
/// After 3 consecutive wrong guesses, the next guess is delayed by 1 second, then by 5, 60, 300 and 900 seconds, and
/// from the eighth wrong guess by one hour.
public struct PINPolicy: Hashable, Sendable {
    /// The minimum number of characters in a PIN, unless ``allowsShortPIN`` is set.
    public static let minimumLength = 6

    /// The number of consecutive wrong guesses after which the slot is erased, at least 3; `nil` for never.
    public let eraseAfter: Int?
    /// Whether a PIN may have fewer than ``minimumLength`` characters.
    public let allowsShortPIN: Bool

    /// Creates a policy; the default never erases the slot and allows no short PIN, and an `eraseAfter` below 3 means
    /// 3.
    public init(eraseAfter: Int? = nil, allowsShortPIN: Bool = false) {
        self.eraseAfter = eraseAfter.map { max($0, 3) }
        self.allowsShortPIN = allowsShortPIN
    }

    /// Returns the delay in seconds after a number of consecutive wrong guesses.
    static func delay(after failures: Int) -> Int64 {
        let delays: [Int64] = [0, 0, 0, 1, 5, 60, 300, 900, 3600]
        return delays[min(max(failures, 0), delays.count - 1)]
    }
}

/// A store outside the keychain that holds the random key of a key slot, such as the desktop's Secret Service.
public protocol KeyHolder: Sendable {
    /// Returns the stored key with a name, or stores a new one.
    ///
    /// - Parameters:
    ///   - name: The identifier of the keychain and the number of the slot, in hexadecimal.
    ///   - newKey: The key that replaces the stored one; `nil` to read the stored one.
    /// - Returns: The key that is now stored; `nil` for none.
    /// - Throws: An error if the store cannot be reached or refuses access; the keychain passes it on to its caller.
    func key(named name: String, keeping newKey: Secret?) async throws -> Secret?
}
