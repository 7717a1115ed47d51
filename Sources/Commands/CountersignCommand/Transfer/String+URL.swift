// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport

extension String {
    /// A URL with more in its query, which stands before the fragment (RFC 3986 section 3).
    ///
    /// - Parameter query: As it is sent; what a query cannot hold as it stands is percent-encoded.
    /// - Returns: The longer URL.
    func appendingRawQuery(_ query: String) -> String {
        let (head, fragment) = splittingFragment
        let separator = !head.contains("?") ? "?" : head.hasSuffix("?") || head.hasSuffix("&") ? "" : "&"
        let encoded = query.utf8.map { byte in
            byte > 0x20 && byte < 0x7F && !Self.outsideQueries.contains(byte)
                ? String(UnicodeScalar(byte)) : FormText.percentEncoded(byte)
        }
        return head + separator + encoded.joined() + fragment
    }

    /// Neither a query nor a fragment can hold them, or they begin a fragment.
    private static let outsideQueries = Set("\"#<>\\^`{|}".utf8)

    /// A URL to which the last part of a file's path is added where the URL's own path ends in a slash, or is missing.
    ///
    /// - Throws: ``UsageError/uploadName`` for standard input, which has no name.
    func appendingName(of file: String) throws(UsageError) -> String {
        let (beforeFragment, fragment) = splittingFragment
        let path = beforeFragment.prefix { $0 != "?" }
        let rest = beforeFragment[path.endIndex...]
        let afterScheme = path.firstRange(of: "://")?.upperBound ?? path.startIndex
        let hasPath = path[afterScheme...].contains("/")
        guard path.hasSuffix("/") || !hasPath else { return self }
        guard file != "-", let name = file.split(separator: "/").last else { throw .uploadName }
        let encoded = name.utf8.map { byte in
            FormText.isUnreserved(byte) ? String(UnicodeScalar(byte)) : FormText.percentEncoded(byte)
        }
        return path + (hasPath ? "" : "/") + encoded.joined() + rest + fragment
    }

    private var splittingFragment: (head: String, fragment: String) {
        let start = firstIndex(of: "#") ?? endIndex
        return (String(self[..<start]), String(self[start...]))
    }
}
