// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The algorithm that derives a password from a master password and a domain.
///
/// The same inputs give the same password on every platform.
@nonexhaustive
public enum ComposerMode: Sendable, Hashable {
    /// The original Password Composer: eight hexadecimal digits of MD5. Weak; only for existing passwords of this mode.
    case classic(ClassicEncoding)

    /// The project's algorithm, with scrypt, for 4 to 64 characters; recommended unless passwords of another mode are
    /// needed.
    ///
    /// 1. Let the salt be the ASCII text `countersign-password-1`; then the domain and the login, each as UTF-8 and
    ///   preceded by its length; then the counter. ASCII letters of the domain are in lower case. The lengths, in
    ///   bytes, and the counter have 32 bits each, the most significant byte first.
    /// 2. Let K be 32 bytes of scrypt (RFC 7914) of the master password as UTF-8 and the salt, with N = 32768, r = 8
    ///   and p = 3. That needs 32 MiB.
    /// 3. Let the stream be the concatenation of HMAC-SHA256(K, L C I) for I = 0, 1, ..., in which L is a byte with the
    ///   password's length, C a byte with the sum of the chosen classes (1 for a-z, 2 for A-Z, 4 for 0-9, 8 for
    ///   symbols), and I has 32 bits, the most significant byte first.
    /// 4. Let the alphabet be the chosen ones of a-z, A-Z, 0-9 and `!#$%&*+-.:=?@_`, in this order, and n its length.
    ///   The next byte b of the stream that is below the largest multiple of n up to 256 selects the character at index
    ///   b mod n, from 0.
    /// 5. Select as many characters as the password's length. If a chosen class is missing, discard all of them and
    ///   continue with the stream.
    case modern(ComposerAccount, ComposerCharacters)

    /// LessPass, version 2 of its algorithm, for 5 to 35 characters.
    case lessPass(ComposerAccount, ComposerCharacters)

    /// SuperGenPass with at least ten rounds. The domain is used unchanged, while SuperGenPass itself removes
    /// subdomains first.
    ///
    /// The length is in characters, from 4 to 24.
    case superGenPass(SuperGenPassHash, length: Int)

    /// Spectre (formerly Master Password), version 3. The account's login is the user's full name.
    case spectre(ComposerAccount, SpectreTemplate)

    /// Derives the password.
    ///
    /// The modes ``modern(_:_:)`` and ``spectre(_:_:)`` need 32 MiB of memory.
    ///
    /// - Parameters:
    ///   - master: The master password as UTF-8.
    ///   - site: The site that the password is for.
    /// - Returns: The password, which is ASCII.
    /// - Throws: ``CompositionError`` if the mode does not accept an input; this is checked before the derivation.
    public func compose(_ master: borrowing SecretBytes, for site: SiteName) throws(CompositionError) -> SecretBytes {
        if master.count == 0 { throw .noMaster }
        if site.utf8.isEmpty { throw .noDomain }
        try check()
        switch self {
        case .classic(let encoding): return Classic.compose(master, site, encoding)
        case .modern(let account, let characters): return Modern.compose(master, site, account, characters)
        case .lessPass(let account, let characters): return LessPass.compose(master, site, account, characters)
        case .superGenPass(.md5, let length): return SuperGenPass<MD5>.compose(master, site, length)
        case .superGenPass(.sha512, let length): return SuperGenPass<SHA512>.compose(master, site, length)
        case .spectre(let account, let template): return Spectre.compose(master, site, account, template)
        }
    }

    /// The available lengths, in characters; `nil` if the mode determines the length.
    public var lengths: ClosedRange<Int>? {
        switch self {
        case .classic, .spectre: nil
        case .modern: 4...64
        case .lessPass: 5...35
        case .superGenPass: 4...24
        }
    }

    private func check() throws(CompositionError) {
        switch self {
        case .classic: break
        case .modern(let account, let characters), .lessPass(let account, let characters):
            if account.counter == 0 { throw .counterZero }
            if characters.classes.isEmpty { throw .noCharacterClass }
            try check(length: characters.length)
        case .superGenPass(_, let length): try check(length: length)
        case .spectre(let account, _):
            if account.counter == 0 { throw .counterZero }
            if account.login.isEmpty { throw .noLogin }
        }
    }

    private func check(length: Int) throws(CompositionError) {
        if let lengths, !lengths.contains(length) { throw .length(length, allowed: lengths) }
    }
}

/// The reason why a password cannot be composed.
@nonexhaustive
public enum CompositionError: Error, Hashable {
    /// The master password is empty.
    case noMaster
    /// The domain is empty.
    case noDomain
    /// The login is empty, but Spectre needs the user's full name as the login.
    case noLogin
    /// The mode does not support this length, in characters.
    case length(Int, allowed: ClosedRange<Int>)
    /// No character class is chosen.
    case noCharacterClass
    /// The counter is 0; counters start at 1.
    case counterZero
}
