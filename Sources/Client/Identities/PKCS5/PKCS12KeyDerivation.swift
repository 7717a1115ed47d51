// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import EssentialFoundation
internal import Secrets

/// The PKCS#12 key derivation (RFC 7292 appendix B.2), for
/// integrity keys, and for all keys of legacy encryption schemes.
struct PKCS12KeyDerivation {
    /// The purpose of a key, the ID of appendix B.3.
    enum Purpose: UInt8 {
        case encryption = 1
        case initializationVector = 2
        case integrity = 3
    }

    let hash: HashAlgorithm
    let salt: [UInt8]
    let iterations: Int

    /// The cost relative to other hashes; this library's SHA-224 is slower, because it is not written in assembly.
    private var costFactor: Int { hash == .sha224 ? 10 : 1 }

    /// Returns the number of times that the iterations are performed for a key of the given length, in units of
    /// swift-crypto's hashes.
    func blocks(_ length: Int) -> Int {
        (length + hash.byteCount - 1) / hash.byteCount * costFactor
    }

    /// Derives a key of the given length.
    func key(_ purpose: Purpose, from password: Secret, length: Int) -> SymmetricKey {
        switch hash {
        case .sha1: key(purpose, from: password, length: length, using: Insecure.SHA1.self)
        case .sha224: key(purpose, from: password, length: length, using: SHA224.self)
        case .sha256: key(purpose, from: password, length: length, using: SHA256.self)
        case .sha384: key(purpose, from: password, length: length, using: SHA384.self)
        case .sha512: key(purpose, from: password, length: length, using: SHA512.self)
        }
    }

    /// Derives a key; the numbers in the comments are the steps of appendix B.2.
    private func key<Function: HashFunction>(
        _ purpose: Purpose, from password: Secret, length: Int, using _: Function.Type
    ) -> SymmetricKey {
        guard length > 0 else { return SymmetricKey(data: [UInt8]()) }
        let blockSize = Function.blockByteCount
        // Step 1: construct the diversifier.
        let diversifier = [UInt8](repeating: purpose.rawValue, count: blockSize)
        // Steps 2 to 4: repeat salt and password to complete blocks; an empty input stays empty.
        var input = Self.repeated(salt, toBlocksOf: blockSize)
        input += password.withUnsafeBytes { Self.repeated($0, toBlocksOf: blockSize) }
        var output: [UInt8] = []
        // Steps 5 and 6: compute the blocks of output.
        while true {
            let digest = digest(Function.self, of: diversifier + input)
            output += digest
            guard output.count < length else { break }
            Self.add(onePlus: digest, to: &input, blockSize: blockSize)
        }
        // Steps 7 and 8: return the first bytes of the output.
        return SymmetricKey(data: output.prefix(length))
    }

    /// Computes the iterated hash of step 6A.
    private func digest<Function: HashFunction>(_: Function.Type, of message: [UInt8]) -> [UInt8] {
        var digest = Function.hash(data: message)
        let empty = Function()
        for _ in 1..<max(iterations, 1) {
            var function = empty
            digest.withUnsafeBytes { function.update(bufferPointer: $0) }
            digest = function.finalize()
        }
        return Array(digest)
    }

    /// Adds one and the digest, repeated to a block, to each block as a big-endian number (steps 6B and 6C).
    private static func add(onePlus digest: [UInt8], to input: inout [UInt8], blockSize: Int) {
        for block in stride(from: 0, to: input.count, by: blockSize) {
            var carry = 1
            for offset in (0..<blockSize).reversed() {
                carry += Int(input[block + offset]) + Int(digest[offset % digest.count])
                input[block + offset] = UInt8(carry & 0xff)
                carry >>= 8
            }
        }
    }

    private static func repeated(_ bytes: some Collection<UInt8>, toBlocksOf size: Int) -> [UInt8] {
        var repeated: [UInt8] = []
        let count = (bytes.count + size - 1) / size * size
        repeated.reserveCapacity(count + bytes.count)
        while repeated.count < count { repeated += bytes }
        return Array(repeated.prefix(count))
    }
}

/// The PBES1 key derivation (RFC 8018 sections 5.1 and 6.1):
/// eight bytes of key, then eight bytes of initialization vector.
struct PBKDF1 {
    enum Hash {
        case md5, sha1
    }

    let hash: Hash
    let salt: [UInt8]
    let iterations: Int

    func keyAndVector(from passphrase: Secret) -> (key: [UInt8], vector: [UInt8]) {
        let derived =
            switch hash {
            case .md5: derive(Insecure.MD5.self, from: passphrase)
            case .sha1: derive(Insecure.SHA1.self, from: passphrase)
            }
        return (Array(derived.prefix(8)), Array(derived.dropFirst(8).prefix(8)))
    }

    private func derive<Function: HashFunction>(_: Function.Type, from passphrase: Secret) -> [UInt8] {
        var function = Function()
        passphrase.withUnsafeBytes { function.update(bufferPointer: $0) }
        function.update(data: salt)
        var digest = function.finalize()
        for _ in 1..<max(iterations, 1) {
            var function = Function()
            digest.withUnsafeBytes { function.update(bufferPointer: $0) }
            digest = function.finalize()
        }
        return Array(digest)
    }
}
