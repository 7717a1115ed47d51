// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Secrets

/// A key of sixteen bytes that clears its memory and prints nothing.
struct NTLMKey: Sendable {
    private let secret: Secret

    /// Takes a key over, and clears where it was.
    init(erasing bytes: inout [UInt8]) {
        secret = Secret(utf8: bytes)
        bytes.erase()
    }

    /// What an account's answers are made with (NTOWFv2, MS-NLMP section 3.3.2).
    ///
    /// - Throws: ``NTLMError/passwordNotUTF8``
    init(account: NTLMAccount, password: Secret) throws(NTLMError) {
        let hash = try Self(hashing: password)
        var code = hash.code(Array(utf16: account.user.uppercasedForNTLM) + Array(utf16: account.domain))
        self.init(erasing: &code)
    }

    /// The NT hash of a password (NTOWFv1, section 3.3.1).
    init(hashing password: Secret) throws(NTLMError) {
        var hash: [UInt8]? = password.withUnsafeBytes { bytes in
            var units: [UInt8] = []
            // UTF-16 never needs more than two bytes for one of UTF-8, so appending leaves no smaller copy behind.
            units.reserveCapacity(2 * bytes.count)
            defer { units.erase() }
            let isBroken = transcode(bytes.makeIterator(), from: UTF8.self, to: UTF16.self, stoppingOnError: true) {
                units.append(littleEndian: $0)
            }
            return isBroken ? nil : units.withUnsafeBytes(MD4.digest)
        }
        guard var digest = hash.take() else { throw .passwordNotUTF8 }
        self.init(erasing: &digest)
    }

    /// HMAC-MD5 of the parts, one after the other.
    func code(_ parts: [UInt8]...) -> [UInt8] {
        secret.withUnsafeBytes { bytes in
            var code = HMAC<Insecure.MD5>(key: SymmetricKey(data: bytes))
            for part in parts { code.update(data: part) }
            return Array(code.finalize())
        }
    }
}
