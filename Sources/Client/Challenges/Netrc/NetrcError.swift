// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// Why a `.netrc` file cannot be used.
///
/// Lines are counted from 1. No case holds a word of the file, because any word may be a password.
@nonexhaustive
public enum NetrcError: Error, Hashable, Sendable {
    /// The file is larger than the limit, which is in bytes.
    case tooLarge(limit: Int)
    /// A quoted word has no end on its line.
    case unterminatedString(line: Int)
    /// The line has a word where a keyword is expected. Often it is a part of a password with a space and without quotes.
    case unexpectedWord(line: Int)
    /// A keyword has no value after it.
    case missingValue(NetrcFile.Keyword, line: Int)
    /// A keyword stands before the first `machine` or `default`.
    case outsideEntry(NetrcFile.Keyword, line: Int)
    /// One entry has the same keyword twice.
    case repeated(NetrcFile.Keyword, line: Int)
    /// The name of a machine or a login is not UTF-8.
    case notUTF8(line: Int)
}

extension NetrcError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .tooLarge(let limit):
            ErrorExplanation(
                "netrc.too-large", "The file is larger than \(limit) bytes.",
                reason: "A netrc file has one short entry for each host. Larger files are not read.",
                advice: "Check that it is a netrc file.")
        case .unterminatedString(let line):
            ErrorExplanation(
                "netrc.unterminated-string", "Line \(line) has a quoted word without a closing quote.",
                reason: "A quoted word ends on the line on which it begins.",
                advice: "Add the closing quote. Write a quote within a word as \\\".")
        case .unexpectedWord(let line):
            ErrorExplanation(
                "netrc.unexpected-word", "Line \(line) has a word where a keyword is expected.",
                reason: "A password with a space in it and without quotes is read as two words.",
                advice: "Put a value with a space in it into double quotes.")
        case .missingValue(let keyword, let line):
            ErrorExplanation(
                "netrc.missing-value", "Line \(line) has \"\(keyword.rawValue)\" without a value.",
                reason: "The file ends where the value should follow.",
                advice: "Write the value after the keyword, and an empty value as \"\".")
        case .outsideEntry(let keyword, let line):
            ErrorExplanation(
                "netrc.outside-entry", "Line \(line) has \"\(keyword.rawValue)\" before the first machine.",
                reason: "Each login and password belongs to the machine above it.",
                advice: "Begin the entry with machine and the name of the host.")
        case .repeated(let keyword, let line):
            ErrorExplanation(
                "netrc.repeated", "Line \(line) has \"\(keyword.rawValue)\" a second time in one entry.",
                reason: "It is unclear which of the values is meant.",
                advice: "Begin an entry for each login, with machine and the name of the host.")
        case .notUTF8(let line):
            ErrorExplanation(
                "netrc.not-utf8", "Line \(line) has a machine or a login that is not UTF-8.",
                reason: "Names of hosts and users are compared as text.",
                advice: "Save the file in UTF-8.")
        }
    }

    package static var examples: [Self] {
        [
            .tooLarge(limit: NetrcFile.sizeLimit), .unterminatedString(line: 3), .unexpectedWord(line: 3),
            .missingValue(.login, line: 3), .outsideEntry(.password, line: 1), .repeated(.login, line: 3),
            .notUTF8(line: 3),
        ]
    }
}
