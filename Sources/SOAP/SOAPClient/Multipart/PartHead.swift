// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

/// The fields before a part's content (RFC 2045 section 3).
package struct PartHead: Hashable, Sendable {
    /// Values by names in lower case; of a name that occurs twice, the first one.
    package private(set) var fields: [String: String] = [:]

    /// Reads the lines of a head, without the empty one.
    ///
    /// A line that begins with a space or a tab continues the one before it (RFC 5322 section 2.2.3).
    ///
    /// - Returns: `nil` where a line has no colon, or is not UTF-8.
    init?(lines: [ArraySlice<UInt8>]) {
        var unfolded: [String] = []
        for line in lines {
            guard let text = String(validating: line, as: UTF8.self) else { return nil }
            if let first = text.first, first == " " || first == "\t", let last = unfolded.popLast() {
                unfolded.append(last + " " + text[...].trimmed)
            } else {
                unfolded.append(text)
            }
        }
        for line in unfolded {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { return nil }
            let name = line[..<colon].trimmed.lowercased()
            let value = String(line[line.index(after: colon)...].trimmed)
            if fields[name] == nil { fields[name] = value }
        }
    }

    /// A part without the field is plain text (RFC 2045 section 5.2).
    var mediaType: MediaType {
        fields["content-type"].flatMap(MediaType.init(field:)) ?? MediaType("text/plain")
    }

    /// The identifier without its brackets.
    var contentID: String? {
        fields["content-id"]?.withoutBrackets
    }

    var contentLocation: String? { fields["content-location"] }

    /// In lower case; without the field, a part's bytes are its content.
    package var transferEncoding: String { fields["content-transfer-encoding"]?.lowercased() ?? "binary" }
}

extension String {
    /// An identifier of a message or a part without the angle brackets around it (RFC 5322 section 3.6.4).
    var withoutBrackets: String { hasPrefix("<") && hasSuffix(">") ? String(dropFirst().dropLast()) : self }
}
