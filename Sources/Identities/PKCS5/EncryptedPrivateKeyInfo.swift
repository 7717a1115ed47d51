// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Secrets
internal import SwiftASN1
internal import X509

/// An encrypted PKCS#8 key (RFC 5958 section 3).
struct EncryptedPrivateKeyInfo {
    private let encryption: PasswordEncryption
    private let ciphertext: [UInt8]

    init(_ node: ASN1Node) throws(IdentityError) {
        var fields = try Fields(node, of: .privateKey)
        encryption = try PasswordEncryption(Algorithm(try fields.next(), of: .encryption))
        ciphertext = try fields.octets()
        try fields.end()
    }

    /// Decrypts and reads the key.
    ///
    /// Where something else has proved the passphrase right, what does not decrypt is damaged.
    func privateKey(
        passphrase: Secret, passphraseIsKnownGood: Bool, budget: inout WorkBudget
    ) throws(IdentityError) -> Certificate.PrivateKey {
        let plaintext = try encryption.decrypt(ciphertext, passphrase: passphrase, budget: &budget)
        let doubt: IdentityError = passphraseIsKnownGood ? .malformed(.privateKey) : .wrongPassphrase
        guard let plaintext, let node = try? ASN1Node.parse(ber: plaintext, as: .privateKey) else { throw doubt }
        return try PrivateKeyInfo(node).privateKey()
    }
}
