// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Secrets

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The key derivation of PBES1 (RFC 8018 sections 5.1 and 6.1): eight bytes of key, then eight of vector.
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
