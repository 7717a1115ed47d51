// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The domains directly below which anyone can register names, so that a wildcard there would match names of several
/// registrants (<https://publicsuffix.org/list/>).
///
/// The list is stored as bytes, and each query scans it from the start: queries are rare, and parsing the list takes
/// longer than a request.
public struct PublicSuffixList: Hashable, Sendable {
    /// The sections of the list that are used.
    public enum Sections: Hashable, Sendable {
        /// The suffixes that registries operate, which are the ones meant by the Baseline Requirements.
        case registries
        /// The suffixes of registries, and those of companies whose customers get names below their domains.
        ///
        /// Wildcards below the latter are in common use (`*.s3.amazonaws.com`).
        case all
    }

    private static let privateSection = Array("// ===BEGIN PRIVATE DOMAINS===".utf8)

    private let text: [UInt8]
    private let sections: Sections

    /// Makes a list from its text in UTF-8, with one rule on each line and comments after `//`.
    ///
    /// Rules with non-ASCII characters never match, because names are compared as A-labels.
    public init(_ text: [UInt8], sections: Sections = .registries) {
        self.text = text
        self.sections = sections
    }

    /// Returns whether a name is a public suffix itself, rather than a name registered below one.
    ///
    /// - Parameter name: A DNS name in ASCII, in any case, without a final dot.
    /// - Returns: `true` for a suffix, and for every name of one label.
    public func isPublicSuffix(_ name: String) -> Bool {
        let name = name.lowercased()
        let dot = name.firstIndex(of: ".")
        let (exception, wildcard) = (Array("!\(name)".utf8), dot.map { Array("*\(name[$0...])".utf8) })
        let plain = Array(name.utf8)
        var isListed = dot == nil
        for line in rules {
            if line.elementsEqual(exception) { return false }
            isListed = isListed || line.elementsEqual(plain) || wildcard.map(line.elementsEqual) ?? false
        }
        return isListed
    }

    /// The rules, each up to the first whitespace, without empty lines and comments.
    private var rules: some Sequence<ArraySlice<UInt8>> {
        var rest = text[...]
        return AnyIterator {
            while !rest.isEmpty {
                let line = rest.prefix { $0 != UInt8(ascii: "\n") }
                rest = rest[line.endIndex...].dropFirst()
                if line.first == UInt8(ascii: "/") {
                    if sections == .registries, line.starts(with: Self.privateSection) { rest = [] }
                } else if let first = line.first, first > UInt8(ascii: " ") {
                    return line.prefix { $0 > UInt8(ascii: " ") }
                }
            }
            return nil
        }
    }
}
