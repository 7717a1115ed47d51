// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import Challenges
internal import Crypto
public import EssentialFoundation
public import Secrets

/// A problem of an item that its owner should look at.
public struct KeychainFinding: Hashable, Sendable {
    /// The kind of a finding.
    @nonexhaustive
    public enum Problem: Hashable, Sendable {
        /// The certificate expired at the given time.
        case expired(Date)
        /// The certificate expires at the given time, which is before the end that the caller asked for.
        case expiring(Date)
        /// The password is easily guessed.
        case weak(PasswordWeakness)
        /// Other items have the same password: the numbers of the first ten, and how many there are.
        case reused([KeychainItem.ID], count: Int)
        /// The password is for a server without TLS, so that it is sent in clear.
        case plainHTTP
        /// A server has rejected the password.
        case rejected
        /// The item with this number is the same item and newer, so that it is used instead.
        case superseded(by: KeychainItem.ID)
        /// The password cannot be read now, so it was not looked at.
        case unreadable
        /// The password is damaged, so it was not looked at.
        case damaged
    }

    /// The item.
    public let item: KeychainItem
    /// The problem.
    public let problem: Problem
}

extension UnlockedKeychain {
    /// Finds certificates that expire, passwords that are weak, used twice, rejected or sent in clear, and items that are stored twice.
    ///
    /// Items that are damaged as a whole are left out; ``listing(_:)`` names them.
    ///
    /// - Parameters:
    ///   - end: Certificates that expire before this instant are found.
    ///   - now: The instant at which a certificate has expired or not.
    /// - Returns: The findings by item, older items first.
    /// - Throws: ``KeychainError``, but not for passwords that cannot be read now, which are findings.
    public func findings(expiringBefore end: Date, at now: Date = .now) async throws -> [KeychainFinding] {
        try await read { reader in
            var audit = PasswordAudit()
            for item in try reader.listing(KeychainQuery()).items {
                audit.compare(item)
                switch item.kind {
                case .certificate(let facts, _, _), .identity(let facts, _):
                    if facts.notAfter < now {
                        audit.find(.expired(facts.notAfter), item)
                    } else if facts.notAfter < end {
                        audit.find(.expiring(facts.notAfter), item)
                    }
                case .genericPassword(_, let account): try audit.examine(item, account, "", reader)
                case .internetPassword(let space, let user):
                    if item.isRejected { audit.find(.rejected, item) }
                    if space.scheme == "http" { audit.find(.plainHTTP, item) }
                    // A token is made by a machine, and is no password.
                    if let user { try audit.examine(item, user, space.host.description, reader) }
                case .note: break
                }
            }
            return audit.complete()
        }
    }
}

/// The findings of one audit.
private struct PasswordAudit {
    private var findings: [KeychainFinding] = []
    /// The items of each password, by its code under a key of this audit: a `Secret` hashes to its length alone, so that many of one
    /// length would be compared one by one.
    private var owners: [HMAC<SHA256>.MAC: [KeychainItem]] = [:]
    private let key = SymmetricKey(size: .bits256)
    private var same: [ItemIdentity: [KeychainItem]] = [:]
    private var damaged: Set<KeychainItem.ID> = []

    mutating func compare(_ item: KeychainItem) {
        // Notes may share a title.
        if item.kind != .note { same[item.identity, default: []].append(item) }
    }

    mutating func find(_ problem: KeychainFinding.Problem, _ item: KeychainItem) {
        findings.append(KeychainFinding(item: item, problem: problem))
    }

    mutating func examine(_ item: KeychainItem, _ user: String, _ host: String, _ reader: KeychainReader) throws {
        do {
            guard case .password(let password) = try reader.secret(of: item) else { return }
            let code = password.withUnsafeBytes { HMAC<SHA256>.authenticationCode(for: $0, using: key) }
            owners[code, default: []].append(item)
            if let weakness = PasswordWeakness.find(in: password, user: user, host: host) {
                find(.weak(weakness), item)
            }
        } catch KeychainError.unlockNeeded, KeychainError.notOnThisDevice {
            find(.unreadable, item)
        } catch KeychainError.damagedItem {
            damaged.insert(item.id)
            find(.damaged, item)
        }
    }

    /// The findings, older items first.
    mutating func complete() -> [KeychainFinding] {
        for items in owners.values where items.count > 1 {
            // Each item is told of ten others, so that a password of many items does not make a list of many for each.
            let first = items.prefix(11).map(\.id)
            for item in items {
                find(.reused(Array(first.filter { $0 != item.id }.prefix(10)), count: items.count - 1), item)
            }
        }
        for items in same.values where items.count > 1 {
            // A newest item that is damaged is no reason to remove another.
            guard let newest = items.newest, !damaged.contains(newest.id) else { continue }
            for item in items where item.id != newest.id { find(.superseded(by: newest.id), item) }
        }
        return findings.sorted { $0.item.id < $1.item.id }
    }
}

/// Why a password is easily guessed (NIST SP 800-63B section 3.1.1.2).
///
/// Only passwords that are certainly weak have one. A password without a weakness is not necessarily strong.
public enum PasswordWeakness: String, Hashable, Sendable, CaseIterable {
    /// It has fewer than eight characters.
    case short
    /// It is one of the most used passwords, without regard to case and to digits or marks at its end.
    case common
    /// It repeats one character or a few, or is a run of the alphabet, of digits or of keys.
    case pattern
    /// It contains the user's name, or a label of the host's name but the last, of more than three bytes.
    case context

    /// Finds the first weakness of a password, in the order of the cases.
    ///
    /// - Parameters:
    ///   - password: The password, in UTF-8.
    ///   - user: The user's name; may be empty.
    ///   - host: The host that it is for; may be empty.
    /// - Returns: The weakness; `nil` where there is none.
    public static func find(in password: Secret, user: String = "", host: String = "") -> PasswordWeakness? {
        var bytes = password.withUnsafeBytes { Array($0) }
        defer { bytes.erase() }
        // Characters are counted by their first bytes, so that no text of the password is made.
        guard bytes.count(where: { $0 & 0xC0 != 0x80 }) >= 8 else { return .short }
        var folded = bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        defer { folded.erase() }
        if CommonPasswords.contains(folded) { return .common }
        if isPattern(folded) { return .pattern }
        let words = [user] + host.split(separator: ".").dropLast().map(String.init)
        let isInContext = words.contains { word in
            let word = Array(word.lowercased().utf8)
            // Three letters are in many passwords by chance.
            return word.count > 3 && !folded.ranges(of: word).isEmpty
        }
        return isInContext ? .context : nil
    }

    private static let runs = [
        "abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm",
        "azertyuiop", "qsdfghjklm", "wxcvbn", "1q2w3e4r5t6y7u8i9o0p", "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    ].map { Array($0.utf8) }

    private static func isPattern(_ password: [UInt8]) -> Bool {
        let isRepeated = (1...4).contains { length in
            zip(password, password.dropFirst(length)).allSatisfy { $0 == $1 }
        }
        if isRepeated { return true }
        return runs.contains { run in
            !run.ranges(of: password).isEmpty || !run.ranges(of: Array(password.reversed())).isEmpty
        }
    }
}

/// The words that lists of leaked passwords begin with.
enum CommonPasswords {
    /// Whether a password is one of the words, or one with digits and marks after it.
    ///
    /// - Parameter password: In lower case.
    /// - Returns: Whether it is.
    static func contains(_ password: [UInt8]) -> Bool {
        let stem = password.reversed().drop { !(0x61...0x7A).contains($0) && $0 < 0x80 }.reversed()
        return words.contains(password) || words.contains(Array(stem))
    }

    private static let words = Set(
        """
        password 123456 12345678 123456789 1234567890 qwerty qwertyuiop iloveyou princess sunshine football baseball
        superman welcome dragon monkey letmein master shadow michael jennifer computer internet whatever trustno
        starwars charlie freedom hello secret admin administrator login changeme default guest passw0rd p@ssword
        p@ssw0rd pa55word passwort password1 mynoob access flower hottie loveme zaq1zaq1 qazwsx qwerty123 abc123
        abcd1234 asdfghjkl zxcvbnm samsung google facebook linkedin liverpool chelsea arsenal barcelona pokemon
        nintendo minecraft batman spiderman jordan hunter killer soccer hockey ginger pepper cookie chocolate
        butterfly summer winter autumn spring monday friday january february september october november december
        temporary testtest test testing summer2024 summer2025 winter2024 winter2025 company office market business
        lovely family swordfish opensesame motdepasse contraseña hallo schatz geheim wachtwoord senha parola heslo
        haslo
        """.split(whereSeparator: \.isWhitespace).map { Array($0.utf8) })
}
