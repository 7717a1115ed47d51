// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import Secrets
internal import SwiftASN1

/// A key derivation function and its parameters: PBKDF2 (RFC 8018 appendix A.2) or scrypt (RFC 7914 section 7).
struct KeyDerivation {
    private enum Function {
        case pbkdf2(iterations: Int, HashAlgorithm)
        case scrypt(cost: Int, blockSize: Int, parallelism: Int)
    }

    /// The maximum memory that a file may require for scrypt, in bytes.
    static let maximumMemory = 128 << 20

    private let function: Function
    private let salt: [UInt8]
    /// The length of the key in bytes; `nil` if the file does not state it.
    let keyLength: Int?
    private let part: IdentityError.Part

    /// Makes PBKDF2 parameters for writing a file.
    init(pbkdf2 hash: HashAlgorithm, salt: [UInt8], iterations: Int) {
        function = .pbkdf2(iterations: iterations, hash)
        self.salt = salt
        keyLength = nil
        part = .encryption
    }

    init(_ algorithm: Algorithm, of part: IdentityError.Part) throws(IdentityError) {
        self.part = part
        switch algorithm.identifier {
        case .pbkdf2:
            var fields = try algorithm.parameterFields()
            salt = try fields.octets()
            let iterations = try fields.integer()
            keyLength = try fields.next(if: .integer)?.integer(part)
            let hash: HashAlgorithm =
                if let node = fields.nextIfAny() { try HashAlgorithm(hmac: Algorithm(node, of: part)) } else { .sha1 }
            try fields.end()
            function = .pbkdf2(iterations: iterations, hash)
        case .scrypt:
            var fields = try algorithm.parameterFields()
            salt = try fields.octets()
            function = .scrypt(
                cost: try fields.integer(), blockSize: try fields.integer(), parallelism: try fields.integer()
            )
            keyLength = try fields.next(if: .integer)?.integer(part)
            try fields.end()
        default:
            throw algorithm.unsupported
        }
    }

    /// The name of the function and of its hash.
    var name: String {
        switch function {
        case .pbkdf2(_, let hash): "PBKDF2 with HMAC-\(hash.name)"
        case .scrypt: "scrypt"
        }
    }

    /// The number of PBKDF2 iterations; `nil` for scrypt.
    var iterations: Int? {
        switch function {
        case .pbkdf2(let iterations, _): iterations
        case .scrypt: nil
        }
    }

    /// Derives a key of the given length from a passphrase in UTF-8, which may be empty.
    func key(
        from passphrase: Secret, length: Int, budget: inout WorkBudget
    ) throws(IdentityError) -> SymmetricKey {
        // HMAC pads its key with zeros, so a single zero byte is equivalent to an empty key and avoids passing a null
        // pointer to C.
        let password = passphrase.withUnsafeBytes { $0.isEmpty ? [0] : Array($0) }
        do {
            switch function {
            case .pbkdf2(let iterations, let hash):
                let blocks = (length + hash.byteCount - 1) / hash.byteCount
                try budget.spend(iterations: iterations, blocks: blocks, of: part)
                return try KDF.Insecure.PBKDF2.deriveKey(
                    from: password, salt: salt, using: hash.pbkdf2, outputByteCount: length,
                    unsafeUncheckedRounds: iterations
                )
            case .scrypt(let cost, let blockSize, let parallelism):
                try check(cost: cost, blockSize: blockSize, parallelism: parallelism, budget: &budget)
                return try KDF.Scrypt.deriveKey(
                    from: password, salt: salt, outputByteCount: length, rounds: cost, blockSize: blockSize,
                    parallelism: parallelism
                )
            }
        } catch let error as IdentityError {
            throw error
        } catch {
            throw .malformed(part)
        }
    }

    /// Limits the scrypt parameters, which swift-crypto 4.5.2
    /// multiplies without overflow checks, so that it would trap.
    private func check(
        cost: Int, blockSize: Int, parallelism: Int, budget: inout WorkBudget
    ) throws(IdentityError) {
        guard cost > 1, cost & (cost - 1) == 0, blockSize > 0, parallelism > 0 else { throw .malformed(part) }
        let maximum = Self.maximumMemory / 128
        guard cost <= maximum, blockSize <= maximum / cost, parallelism <= maximum / cost / blockSize else {
            throw .tooLarge(.memory, limit: Self.maximumMemory)
        }
        // One unit of scrypt work, 128 bytes mixed twice, takes about as long as two PBKDF2 iterations.
        try budget.spend(iterations: cost * blockSize * parallelism, blocks: 2, of: part)
    }
}
