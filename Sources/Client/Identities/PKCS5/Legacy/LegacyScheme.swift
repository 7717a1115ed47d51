// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1

/// The encryption schemes whose identifier names cipher and hash: PBES1 (RFC 8018 appendix A.3) and PKCS#12's own
/// (RFC 7292 appendix C), which all use SHA-1.
enum LegacyScheme {
    case pbes1(Cipher, PBKDF1.Hash)
    case pkcs12(Cipher)

    init?(_ identifier: ASN1ObjectIdentifier) {
        let rc2 = Cipher.rc2(keyLength: 8, effectiveBits: 64)
        switch identifier {
        case [1, 2, 840, 113549, 1, 5, 3]: self = .pbes1(.des, .md5)
        case [1, 2, 840, 113549, 1, 5, 6]: self = .pbes1(rc2, .md5)
        case [1, 2, 840, 113549, 1, 5, 10]: self = .pbes1(.des, .sha1)
        case [1, 2, 840, 113549, 1, 5, 11]: self = .pbes1(rc2, .sha1)
        case [1, 2, 840, 113549, 1, 12, 1, 1]: self = .pkcs12(.rc4(keyLength: 16))
        case [1, 2, 840, 113549, 1, 12, 1, 2]: self = .pkcs12(.rc4(keyLength: 5))
        case .pbeWithSHAAnd3KeyTripleDES: self = .pkcs12(.tripleDES)
        case [1, 2, 840, 113549, 1, 12, 1, 4]: self = .pkcs12(.twoKeyTripleDES)
        case [1, 2, 840, 113549, 1, 12, 1, 5]: self = .pkcs12(.rc2(keyLength: 16, effectiveBits: 128))
        case [1, 2, 840, 113549, 1, 12, 1, 6]: self = .pkcs12(.rc2(keyLength: 5, effectiveBits: 40))
        default: return nil
        }
    }
}
