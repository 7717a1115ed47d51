// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import Encodings

/// A value of `--data` or of a related option; all of these values together form one body or one query.
struct DataOption: Sendable {
    enum Content: Hashable, Sendable {
        case text(String)
        /// The path of a file that is sent without line breaks and NUL, as curl does with `-d @FILE`.
        case file(String)
        case binaryFile(String)
        /// A name that is sent unchanged, and a text that is percent-encoded.
        case encoded(name: String, text: String)
        case encodedFile(name: String, String)
    }

    let position = ArgumentPosition.next()
    let content: Content

    private init(_ content: Content) { self.content = content }

    /// Reads `--data`.
    static func data(_ text: String) -> DataOption {
        DataOption(text.first == "@" ? .file(String(text.dropFirst())) : .text(text))
    }

    /// Reads `--data-raw`.
    static func raw(_ text: String) -> DataOption { DataOption(.text(text)) }

    /// Reads `--data-binary`.
    static func binary(_ text: String) -> DataOption {
        DataOption(text.first == "@" ? .binaryFile(String(text.dropFirst())) : .text(text))
    }

    /// Reads `--data-urlencode`: `CONTENT`, `=CONTENT`, `NAME=CONTENT`, `@FILE` or `NAME@FILE`.
    static func encoded(_ text: String) -> DataOption {
        let mark = text.firstIndex(of: "=") ?? text.firstIndex(of: "@")
        guard let mark else { return DataOption(.encoded(name: "", text: text)) }
        let (name, rest) = (String(text[..<mark]), String(text[text.index(after: mark)...]))
        return DataOption(text[mark] == "=" ? .encoded(name: name, text: rest) : .encodedFile(name: name, rest))
    }

    /// Whether the option reads standard input.
    var readsStandardInput: Bool {
        switch content {
        case .file("-"), .binaryFile("-"), .encodedFile(_, "-"): true
        default: false
        }
    }

    /// - Throws: ``FileError``.
    func bytes() throws -> [UInt8] {
        switch content {
        case .text(let text): Array(text.utf8)
        case .file(let path): try InputFile.readArgument(path).filter { ![0x00, 0x0A, 0x0D].contains($0) }
        case .binaryFile(let path): try InputFile.readArgument(path)
        case .encoded(let name, let text): Self.pair(name, Array(text.utf8))
        case .encodedFile(let name, let path): Self.pair(name, try InputFile.readArgument(path))
        }
    }

    private static func pair(_ name: String, _ value: [UInt8]) -> [UInt8] {
        // In application/x-www-form-urlencoded, a space is a plus sign.
        let text = PercentEncoding.encode(value) { $0 == 0x20 || PercentEncoding.isUnreserved($0) }
        return Array((name.isEmpty ? "" : name + "=").utf8) + text.utf8.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }
    }
}

extension String {
    /// Returns the URL with an extended query, which precedes the fragment (RFC 3986 section 3).
    ///
    /// - Parameter query: The text to append; characters that are not allowed in a query are percent-encoded.
    /// - Returns: The longer URL.
    func appendingRawQuery(_ query: String) -> String {
        let (head, fragment) = splittingFragment
        let separator = !head.contains("?") ? "?" : head.hasSuffix("?") || head.hasSuffix("&") ? "" : "&"
        let encoded = PercentEncoding.encode(query.utf8) { byte in
            byte > 0x20 && byte < 0x7F && !Self.outsideQueries.contains(byte)
        }
        return head + separator + encoded + fragment
    }

    /// The characters that are not allowed in a query or a fragment, or that begin a fragment.
    private static let outsideQueries = Set("\"#<>\\^`{|}".utf8)

    /// Returns the URL with a file's name appended, if the URL's own path ends in a slash or is missing.
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
        let encoded = PercentEncoding.encode(name.utf8, allowing: PercentEncoding.isUnreserved)
        return path + (hasPath ? "" : "/") + encoded + rest + fragment
    }

    private var splittingFragment: (head: String, fragment: String) {
        let start = firstIndex(of: "#") ?? endIndex
        return (String(self[..<start]), String(self[start...]))
    }
}
