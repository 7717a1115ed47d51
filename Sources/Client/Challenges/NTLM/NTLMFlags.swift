// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What the two sides can do (MS-NLMP section 2.2.2.5).
struct NTLMFlags: OptionSet, Hashable {
    let rawValue: UInt32

    static let unicode = Self(rawValue: 0x0000_0001)
    static let requestTarget = Self(rawValue: 0x0000_0004)
    static let ntlm = Self(rawValue: 0x0000_0200)
    static let alwaysSign = Self(rawValue: 0x0000_8000)
    static let extendedSessionSecurity = Self(rawValue: 0x0008_0000)
    static let targetInformation = Self(rawValue: 0x0080_0000)
    static let strong128 = Self(rawValue: 0x2000_0000)
    static let weak56 = Self(rawValue: 0x8000_0000)

    /// What is asked for.
    ///
    /// Neither signing nor sealing, because HTTP has no place for them, and so no key exchange either: without one of those two
    /// a key that is sent counts for nothing (section 3.1.5.1.2). Windows asks for none of the three over HTTP (0xA2088207 in
    /// tokens of its builds 7601 and 26100), so no server can insist on them. OEM is not offered, so that no server can
    /// choose it.
    static let requested: Self = [
        .unicode, .requestTarget, .ntlm, .alwaysSign, .extendedSessionSecurity, .targetInformation, .strong128, .weak56,
    ]
}
