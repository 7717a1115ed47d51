// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings

/// The path or absolute URL of a document, against which relative references are resolved (RFC 3986 section 5).
package struct DocumentReference: Hashable, Sendable {
    /// The identifier that is passed to a ``DocumentSource``.
    package let identifier: String

    package init(_ identifier: String) { self.identifier = identifier }

    /// The scheme in lower case; `nil` for a path.
    ///
    /// A single letter is a Windows drive.
    var scheme: String? {
        guard let colon = identifier.firstIndex(of: ":") else { return nil }
        let scheme = identifier[..<colon]
        guard scheme.count > 1, scheme.first?.isLetter == true,
            scheme.utf8.allSatisfy({ $0.isSchemeCharacter })
        else { return nil }
        return scheme.lowercased()
    }

    /// Whether the document is fetched over a network.
    package var isRemote: Bool { scheme.map { $0 != "file" } ?? false }

    /// The scheme, host and port (RFC 6454 section 4), without the scheme's default port; `nil` for a path.
    package var origin: String? {
        guard let scheme else { return nil }
        var host =
            authority.map { $0.split(separator: "@", omittingEmptySubsequences: false).last ?? "" }?.lowercased() ?? ""
        if let port = ["http": ":80", "https": ":443"][scheme], host.hasSuffix(port) { host.removeLast(port.count) }
        return scheme + "://" + host
    }

    /// Resolves a reference in this document, without its fragment.
    package func resolve(_ reference: String) -> DocumentReference {
        let text = String(reference.trimmingSpaces.prefix { $0 != "#" })
        guard !text.isEmpty else { return self }
        let other = DocumentReference(text)
        if let scheme = other.scheme {
            // Schemes are case-insensitive; lower case gives each document one identifier.
            return DocumentReference(scheme + text.dropFirst(scheme.count))
        }
        guard let scheme else { return DocumentReference(Self.join(path: identifier, text.decodedPath)) }
        if text.hasPrefix("//") { return DocumentReference(scheme + ":" + text) }
        let root = scheme + "://" + (authority ?? "")
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count == 2 ? "?" + parts[1] : ""
        guard let relative = parts.first.map(String.init), !relative.isEmpty else {
            return DocumentReference(root + path + query)
        }
        let joined = Self.join(path: path.isEmpty ? "/" : path, relative.replacingBackslashes)
        return DocumentReference(root + joined + query)
    }

    private var afterScheme: Substring {
        guard let scheme else { return identifier[...] }
        return identifier.dropFirst(scheme.count + 1)
    }

    private var authority: String? {
        guard afterScheme.hasPrefix("//") else { return nil }
        return String(afterScheme.dropFirst(2).prefix { $0 != "/" && $0 != "?" })
    }

    private var path: String {
        let rest = authority.map { afterScheme.dropFirst(2 + $0.count) } ?? afterScheme
        return String(rest.prefix { $0 != "?" && $0 != "#" })
    }

    /// Merges paths and removes dot segments (RFC 3986 sections 5.2.3 and 5.2.4), except `..` at the start of a
    /// relative path.
    private static func join(path: String, _ relative: String) -> String {
        let isAbsolute = relative.hasPrefix("/")
        let base = isAbsolute ? "" : path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let merged = base + relative
        var segments: [Substring] = []
        for segment in merged.split(separator: "/", omittingEmptySubsequences: true) where segment != "." {
            if segment == "..", let last = segments.last, last != ".." {
                segments.removeLast()
            } else if segment != ".." || !merged.hasPrefix("/") {
                segments.append(segment)
            }
        }
        return (merged.hasPrefix("/") ? "/" : "") + segments.joined(separator: "/")
    }
}

extension UInt8 {
    fileprivate var isSchemeCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension String {
    /// The text with backslashes replaced by slashes, since many imports contain Windows separators.
    fileprivate var replacingBackslashes: String { String(map { $0 == "\\" ? "/" : $0 }) }

    /// The relative reference as a file path, with percent-encoded bytes decoded (RFC 3986 section 2.1).
    fileprivate var decodedPath: String {
        var bytes: [UInt8] = []
        var rest = Array(replacingBackslashes.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = Hexadecimal.decode(rest.prefix(2)), value.count == 1, value != [0]
            {
                bytes += value
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self) ?? self
    }
}
