// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How a password is derived from a master password and a domain.
///
/// The same inputs give the same password everywhere.
public enum ComposerMode: Sendable, Hashable {
    /// The original Password Composer: eight hexadecimal digits of MD5. Weak; for passwords that were made with it.
    case classic(ClassicEncoding)

    /// scrypt, and characters of the chosen classes. The exact derivation stands in `Modern`.
    case modern(Account, Characters)

    /// LessPass, version 2 of its algorithm.
    case lessPass(Account, Characters)

    /// SuperGenPass with ten rounds. The domain is taken as it is: SuperGenPass itself removes subdomains first.
    case superGenPass(SuperGenPassHash, length: Int)

    /// Spectre (formerly Master Password), version 3. The account's login is the user's full name.
    case spectre(Account, SpectreTemplate)

    /// Derives the password.
    ///
    /// - Parameters:
    ///   - master: The master password as UTF-8.
    ///   - site: The site that the password is for.
    /// - Returns: The password, which is ASCII.
    /// - Throws: ``CompositionError``, before anything is derived.
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

    /// The lengths that can be chosen, in characters; `nil` where the mode decides.
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
