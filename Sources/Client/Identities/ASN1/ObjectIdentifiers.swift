// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1

extension ASN1ObjectIdentifier {
    // The identifiers of RFC 5652 and RFC 7292 section 4.2.
    static let data: Self = [1, 2, 840, 113549, 1, 7, 1]
    static let signedData: Self = [1, 2, 840, 113549, 1, 7, 2]
    static let envelopedData: Self = [1, 2, 840, 113549, 1, 7, 3]
    static let encryptedData: Self = [1, 2, 840, 113549, 1, 7, 6]
    static let keyBag: Self = [1, 2, 840, 113549, 1, 12, 10, 1, 1]
    static let shroudedKeyBag: Self = [1, 2, 840, 113549, 1, 12, 10, 1, 2]
    static let certificateBag: Self = [1, 2, 840, 113549, 1, 12, 10, 1, 3]
    static let safeContentsBag: Self = [1, 2, 840, 113549, 1, 12, 10, 1, 6]
    static let x509Certificate: Self = [1, 2, 840, 113549, 1, 9, 22, 1]
    static let localKeyIdentifier: Self = [1, 2, 840, 113549, 1, 9, 21]
    static let friendlyName: Self = [1, 2, 840, 113549, 1, 9, 20]
    /// The attribute with which Java marks the certificates of a trust store.
    static let javaTrustedKeyUsage: Self = [2, 16, 840, 1, 113894, 746875, 1, 1]

    // The identifiers of RFC 8018 appendix C, RFC 7914 section 7 and RFC 9879.
    static let pbes2: Self = [1, 2, 840, 113549, 1, 5, 13]
    static let pbkdf2: Self = [1, 2, 840, 113549, 1, 5, 12]
    static let pbmac1: Self = [1, 2, 840, 113549, 1, 5, 14]
    static let scrypt: Self = [1, 3, 6, 1, 4, 1, 11591, 4, 11]
    static let hmacWithSHA256: Self = [1, 2, 840, 113549, 2, 9]
    static let aes128CBC: Self = [2, 16, 840, 1, 101, 3, 4, 1, 2]
    static let aes192CBC: Self = [2, 16, 840, 1, 101, 3, 4, 1, 22]
    static let aes256CBC: Self = [2, 16, 840, 1, 101, 3, 4, 1, 42]
    static let desCBC: Self = [1, 3, 14, 3, 2, 7]
    static let desEDE3CBC: Self = [1, 2, 840, 113549, 3, 7]
    static let rc2CBC: Self = [1, 2, 840, 113549, 3, 2]
    static let pbeWithSHAAnd3KeyTripleDES: Self = [1, 2, 840, 113549, 1, 12, 1, 3]

    // The identifiers of RFC 8410.
    static let ed25519: Self = [1, 3, 101, 112]
    static let ed448: Self = [1, 3, 101, 113]
    /// id-RSASSA-PSS (RFC 4055 section 3.1).
    static let pss: Self = [1, 2, 840, 113549, 1, 1, 10]

    /// The usual name, or dotted decimal if there is none.
    var name: String { Self.names[self] ?? description }

    /// The names of encryption algorithms, and of algorithms and contents in files that this library does not support.
    private static let names: [Self: String] = [
        signedData: "signedData",
        envelopedData: "envelopedData",
        encryptedData: "encryptedData",
        pbkdf2: "PBKDF2",
        scrypt: "scrypt",
        pbes2: "PBES2",
        aes128CBC: "AES-128-CBC",
        aes192CBC: "AES-192-CBC",
        aes256CBC: "AES-256-CBC",
        [1, 2, 840, 113549, 1, 12, 1, 1]: "pbeWithSHAAnd128BitRC4",
        [1, 2, 840, 113549, 1, 12, 1, 2]: "pbeWithSHAAnd40BitRC4",
        [1, 2, 840, 113549, 1, 12, 1, 3]: "pbeWithSHAAnd3-KeyTripleDES-CBC",
        [1, 2, 840, 113549, 1, 12, 1, 4]: "pbeWithSHAAnd2-KeyTripleDES-CBC",
        [1, 2, 840, 113549, 1, 12, 1, 5]: "pbeWithSHAAnd128BitRC2-CBC",
        [1, 2, 840, 113549, 1, 12, 1, 6]: "pbeWithSHAAnd40BitRC2-CBC",
        [1, 2, 840, 113549, 1, 5, 1]: "pbeWithMD2AndDES-CBC",
        [1, 2, 840, 113549, 1, 5, 3]: "pbeWithMD5AndDES-CBC",
        [1, 2, 840, 113549, 1, 5, 4]: "pbeWithMD2AndRC2-CBC",
        [1, 2, 840, 113549, 1, 5, 6]: "pbeWithMD5AndRC2-CBC",
        [1, 2, 840, 113549, 1, 5, 10]: "pbeWithSHA1AndDES-CBC",
        [1, 2, 840, 113549, 1, 5, 11]: "pbeWithSHA1AndRC2-CBC",
        [1, 2, 840, 113549, 2, 2]: "MD2",
        [1, 2, 840, 113549, 2, 5]: "MD5",
        [1, 2, 840, 113549, 2, 12]: "hmacWithSHA512-224",
        [1, 2, 840, 113549, 2, 13]: "hmacWithSHA512-256",
        [1, 2, 840, 113549, 3, 2]: "rc2CBC",
        [1, 2, 840, 113549, 3, 7]: "des-EDE3-CBC",
        [1, 3, 14, 3, 2, 7]: "desCBC",
        [2, 16, 840, 1, 101, 3, 4, 1, 6]: "aes128-GCM",
        [2, 16, 840, 1, 101, 3, 4, 1, 26]: "aes192-GCM",
        [2, 16, 840, 1, 101, 3, 4, 1, 46]: "aes256-GCM",
        [1, 2, 392, 200011, 61, 1, 1, 1, 2]: "camellia128-CBC",
        [1, 2, 392, 200011, 61, 1, 1, 1, 3]: "camellia192-CBC",
        [1, 2, 392, 200011, 61, 1, 1, 1, 4]: "camellia256-CBC",
        [1, 2, 840, 10040, 4, 1]: "DSA",
        pss: "RSASSA-PSS",
        [1, 3, 101, 110]: "X25519",
        [1, 3, 101, 111]: "X448",
        ed448: "Ed448",
        [1, 3, 132, 0, 10]: "secp256k1",
        [1, 3, 132, 0, 33]: "secp224r1",
        [1, 2, 840, 10045, 3, 1, 1]: "secp192r1",
        [1, 3, 36, 3, 3, 2, 8, 1, 1, 7]: "brainpoolP256r1",
        [1, 3, 36, 3, 3, 2, 8, 1, 1, 11]: "brainpoolP384r1",
        [1, 3, 36, 3, 3, 2, 8, 1, 1, 13]: "brainpoolP512r1",
        [1, 3, 36, 3, 3, 2, 8, 1, 1, 5]: "brainpoolP224r1",
        [1, 3, 36, 3, 3, 2, 8, 1, 1, 8]: "brainpoolP256t1",
        [1, 3, 36, 3, 3, 2, 8, 1, 1, 9]: "brainpoolP320r1",
        [1, 3, 36, 3, 3, 2, 8, 1, 1, 12]: "brainpoolP384t1",
        [1, 3, 36, 3, 3, 2, 8, 1, 1, 14]: "brainpoolP512t1",
    ]
}
