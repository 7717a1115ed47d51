// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The domains directly below which anyone can register names, so that a wildcard there would match names of several owners
/// (<https://publicsuffix.org/list/>).
///
/// The list is kept as bytes, and each query searches it from the start: queries are rare, and parsing it takes longer than a request.
public struct PublicSuffixList: Hashable, Sendable {
    /// The parts of the list that count.
    public enum Sections: Hashable, Sendable {
        /// The suffixes that registries run, which are those that the Baseline Requirements mean.
        case registries
        /// The suffixes of registries, and those of companies whose customers get names below their domains.
        ///
        /// Wildcards below the latter are in daily use (`*.s3.amazonaws.com`).
        case all
    }

    private static let privateSection = Array("// ===BEGIN PRIVATE DOMAINS===".utf8)

    private let text: [UInt8]
    private let sections: Sections

    /// Makes a list of its text in UTF-8, with one rule on each line and comments after `//`.
    ///
    /// Rules in other scripts than ASCII never match, because names are compared in the form of A-labels.
    public init(_ text: [UInt8], sections: Sections = .registries) {
        self.text = text
        self.sections = sections
    }

    /// Whether a name is a suffix itself, rather than something registered below one.
    ///
    /// - Parameter name: A DNS name in ASCII, in letters of either case, without a final dot.
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

    /// Every rule up to the first white space, without lines that are empty or a comment.
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
