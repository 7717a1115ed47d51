// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

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
