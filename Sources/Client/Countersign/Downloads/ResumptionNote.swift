// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Encodings
import HTTPTypes

/// The identification of the representation that a partial file belongs to, stored next to the file.
struct ResumptionNote: Hashable {
    /// The digest of the URL; the URL itself could contain a secret.
    let digest: String
    let validator: StrongValidator
    /// The length of the representation in bytes; `nil` if the server did not state it.
    let total: Int?
    /// The mark of the partial file when a download left it (``FileState/mark``); `nil` if the program was killed.
    var mark: String?

    private static let title = "countersign-download 2"

    init(url: String, validator: StrongValidator, total: Int?) {
        digest = Self.digest(of: url)
        (self.validator, self.total) = (validator, total)
    }

    /// Parses a note.
    ///
    /// - Returns: `nil` if the text is not a note.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 6, lines[0] == Self.title, lines[5].isEmpty else { return nil }
        let validator = lines[2].split(separator: " ", maxSplits: 1).map(String.init)
        switch validator.first {
        case "etag" where validator.count == 2: self.validator = .entityTag(validator[1])
        case "last-modified" where validator.count == 2: self.validator = .lastModified(validator[1])
        default: return nil
        }
        total = Int(lines[3])
        guard total.map({ $0 >= 0 }) ?? (lines[3] == "*") else { return nil }
        digest = String(lines[1])
        mark = lines[4] == "*" ? nil : String(lines[4])
    }

    /// The text of the note: six lines, the last one empty.
    var text: String {
        let validator =
            switch validator {
            case .entityTag(let tag): "etag \(tag)"
            case .lastModified(let date): "last-modified \(date)"
            }
        return "\(Self.title)\n\(digest)\n\(validator)\n\(total.map(String.init) ?? "*")\n\(mark ?? "*")\n"
    }

    /// Returns whether the representation is one of the URL.
    func isFor(_ url: String) -> Bool { digest == Self.digest(of: url) }

    private static func digest(of url: String) -> String {
        Hexadecimal.encode(SHA256.hash(data: Array(url.utf8)))
    }
}

/// A validator that detects every change of a representation, byte for byte (RFC 9110 section 8.8.1).
enum StrongValidator: Hashable {
    case entityTag(String)
    /// The date of the last modification, as the server wrote it.
    case lastModified(String)

    /// Reads the strong validator of a response.
    ///
    /// - Returns: `nil` if the response has no strong validator, so that a partial file could not be resumed.
    init?(of fields: HTTPFields) {
        if let tag = fields[.eTag] {
            guard Self.isStrong(tag) else { return nil }
            self = .entityTag(tag)
        } else if let modified = fields[.lastModified], let then = Self.time(modified),
            let now = fields[.date].flatMap(Self.time), now - then >= Self.minimumModificationAge
        {
            self = .lastModified(modified)
        } else {
            return nil
        }
    }

    /// Returns the time of a date field, in seconds since 1970; `nil` if it is malformed.
    static func time(_ date: String) -> Int? {
        HTTPDate(date, now: .secondsSince1970)?.secondsSince1970
    }

    /// The minimum age of a modification date, in seconds.
    ///
    /// A representation that changes twice within the clock's resolution keeps its date (RFC 9110 section 8.8.2.2
    /// requires one second, and permits more).
    private static let minimumModificationAge = 60

    /// The value of the field `If-Range`.
    var field: String {
        switch self {
        case .entityTag(let tag): tag
        case .lastModified(let date): date
        }
    }

    /// Returns whether the response can belong to the same representation, according to its fields.
    func isConsistent(with fields: HTTPFields) -> Bool {
        switch self {
        case .entityTag(let tag): fields[.eTag].map { $0 == tag } ?? true
        case .lastModified(let date): fields[.lastModified].map { $0 == date } ?? true
        }
    }

    /// Returns whether an entity tag is strong (RFC 9110 section 8.8.3).
    ///
    /// It must be ASCII, so that it is sent back unchanged.
    private static func isStrong(_ tag: String) -> Bool {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.count <= 1024, bytes.first == quote, bytes.last == quote else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != quote }
    }

    private static let quote = UInt8(ascii: "\"")
}
