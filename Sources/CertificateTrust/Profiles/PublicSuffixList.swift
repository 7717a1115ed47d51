// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The domains below which anyone can register, so that a wildcard there would speak for strangers (https://publicsuffix.org/list/).
///
/// The list is kept as it is and searched when it is asked, which is seldom: reading it all would take longer than a request.
public struct PublicSuffixList: Hashable, Sendable {
    /// Which parts of the list count.
    public enum Sections: Hashable, Sendable {
        /// The suffixes that registries run, which are those that the Baseline Requirements mean.
        case registries
        /// And what companies offer below their own domains; wildcards there are in daily use (`*.s3.amazonaws.com`).
        case all
    }

    private static let privateSection = Array("// ===BEGIN PRIVATE DOMAINS===".utf8)

    private let text: [UInt8]
    private let sections: Sections

    /// Takes the list's own format: a rule a line, comments after `//`.
    ///
    /// Rules in other scripts than ASCII never match, because names are asked for in A-labels.
    public init(_ text: [UInt8], sections: Sections = .registries) {
        self.text = text
        self.sections = sections
    }

    /// Whether a name is a suffix itself, rather than something registered below one.
    ///
    /// - Parameter name: A DNS name, without a final dot. A single label always is one.
    /// - Returns: `true` for a suffix.
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
