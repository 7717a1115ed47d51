// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The forms of passwords that Spectre makes.
///
/// The raw value is the form's number, from 0.
public enum SpectreTemplate: UInt8, Sendable, Hashable, CaseIterable {
    /// Twenty characters of all kinds.
    case maximum
    /// Fourteen characters that can be pronounced.
    case long
    /// Eight characters with a symbol.
    case medium
    /// Eight letters and digits.
    case basic
    /// Four letters and digits.
    case short
    /// Four digits.
    case pin
    /// Nine letters.
    case name
    /// Eighteen or twenty letters and spaces.
    case phrase

    /// What may stand at each place: a letter for each alphabet.
    var forms: [StaticString] {
        switch self {
        case .maximum: ["anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"]
        case .long:
            [
                "CvcvnoCvcvCvcv", "CvcvCvcvnoCvcv", "CvcvCvcvCvcvno", "CvccnoCvcvCvcv", "CvccCvcvnoCvcv",
                "CvccCvcvCvcvno", "CvcvnoCvccCvcv", "CvcvCvccnoCvcv", "CvcvCvccCvcvno", "CvcvnoCvcvCvcc",
                "CvcvCvcvnoCvcc", "CvcvCvcvCvccno", "CvccnoCvccCvcv", "CvccCvccnoCvcv", "CvccCvccCvcvno",
                "CvcvnoCvccCvcc", "CvcvCvccnoCvcc", "CvcvCvccCvccno", "CvccnoCvcvCvcc", "CvccCvcvnoCvcc",
                "CvccCvcvCvccno",
            ]
        case .medium: ["CvcnoCvc", "CvcCvcno"]
        case .basic: ["aaanaaan", "aannaaan", "aaannaaa"]
        case .short: ["Cvcn"]
        case .pin: ["nnnn"]
        case .name: ["cvccvcvcv"]
        case .phrase: ["cvcc cvc cvccvcv cvc", "cvc cvccvcvcv cvcv", "cv cvccv cvc cvcvccv"]
        }
    }

    static func alphabet(of letter: UInt8) -> StaticString {
        switch letter {
        case UInt8(ascii: "V"): "AEIOU"
        case UInt8(ascii: "C"): "BCDFGHJKLMNPQRSTVWXYZ"
        case UInt8(ascii: "v"): "aeiou"
        case UInt8(ascii: "c"): "bcdfghjklmnpqrstvwxyz"
        case UInt8(ascii: "a"): "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz"
        case UInt8(ascii: "n"): "0123456789"
        case UInt8(ascii: "o"): "@&%?,=[]_:-+*$#!'^~;()/."
        case UInt8(ascii: "x"): "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()"
        default: " "
        }
    }
}
