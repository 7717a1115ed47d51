// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

/// The algorithm that encrypts a content's key with a shared one (XML Encryption 1.1 section 5.7, RFC 3394).
///
/// The raw value is its URI.
public enum KeyWrap: String, Sendable, CaseIterable {
    /// AES Key Wrap with a key of 128 bits.
    case aes128 = "http://www.w3.org/2001/04/xmlenc#kw-aes128"
    /// AES Key Wrap with a key of 192 bits.
    case aes192 = "http://www.w3.org/2001/04/xmlenc#kw-aes192"
    /// AES Key Wrap with a key of 256 bits.
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
