// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

/// How a content's key is encrypted with a shared one (XML Encryption 1.1 section 5.7, RFC 3394).
public enum KeyWrap: String, Sendable, CaseIterable {
    case aes128 = "http://www.w3.org/2001/04/xmlenc#kw-aes128"
    case aes192 = "http://www.w3.org/2001/04/xmlenc#kw-aes192"
    case aes256 = "http://www.w3.org/2001/04/xmlenc#kw-aes256"

    /// The one for a key of so many bits.
    init?(bits: Int) {
        switch bits {
        case 128: self = .aes128
        case 192: self = .aes192
        case 256: self = .aes256
        default: return nil
        }
    }

    var keyBits: Int {
        switch self {
        case .aes128: 128
        case .aes192: 192
        case .aes256: 256
        }
    }
}
