// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The domains below which anyone can register, so that a wildcard there would speak for strangers (https://publicsuffix.org/list/).
public struct PublicSuffixList: Hashable, Sendable {
    private var rules: Set<String> = []
    private var exceptions: Set<String> = []

    /// Which parts of the list count.
    public enum Sections: Hashable, Sendable {
        /// What registries run, which is what the Baseline Requirements mean.
        case registries
        /// And what companies offer below their own domains; wildcards there are in daily use (`*.s3.amazonaws.com`).
        case all
    }

    private static let privateSection = "// ===BEGIN PRIVATE DOMAINS==="

    /// Reads the list's own format: a rule a line, comments after `//`.
    ///
    /// Rules in other scripts than ASCII are passed over.
    public init(_ text: String, sections: Sections = .registries) {
        for line in text.split(whereSeparator: \.isNewline) {
            if sections == .registries, line.hasPrefix(Self.privateSection) { return }
            guard let rule = line.split(whereSeparator: \.isWhitespace).first, !rule.hasPrefix("//"),
                rule.utf8.allSatisfy({ $0 < 0x80 })
            else { continue }
            if rule.hasPrefix("!") {
                exceptions.insert(rule.dropFirst().lowercased())
            } else {
                rules.insert(rule.lowercased())
            }
        }
    }

    /// Whether a name is a suffix itself, rather than something registered below one.
    ///
    /// - Parameter name: A DNS name, without a final dot. A single label always is one.
    /// - Returns: `true` for a suffix.
    public func isPublicSuffix(_ name: String) -> Bool {
        let name = name.lowercased()
        guard let dot = name.firstIndex(of: "."), !exceptions.contains(name) else { return !exceptions.contains(name) }
        return rules.contains(name) || rules.contains("*" + name[dot...])
    }
}
