// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1

/// An encrypted PKCS#8 key (RFC 5958 section 3).
struct EncryptedPrivateKeyInfo {
    let encryption: PasswordEncryption
    private let ciphertext: [UInt8]

    init(_ node: ASN1Node) throws(IdentityError) {
        var fields = try Fields(node, of: .privateKey)
        encryption = try PasswordEncryption(Algorithm(try fields.next(), of: .encryption))
        ciphertext = try fields.octets()
        try fields.end()
    }

    /// Decrypts the key.
    ///
    /// - Returns: `nil` where the password is wrong or the file was changed.
    func decrypt(_ password: PasswordForms, budget: inout WorkBudget) throws(IdentityError) -> ASN1Node? {
        try encryption.decrypt(ciphertext, password: password, budget: &budget)
    }
}
