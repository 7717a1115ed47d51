// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// Why a file of exported passwords cannot be read.
@nonexhaustive
public enum PasswordListError: Error, Hashable, Sendable {
    /// The first line names no column of passwords.
    case noPasswordColumn
    /// A field that begins with a quote does not end with one; the line is where it begins, from 1.
    case unclosedQuote(line: Int)
    /// A line has more or fewer fields than the first one.
    case wrongFieldCount(line: Int, found: Int, expected: Int)
    /// The file is larger than this number of bytes.
    case tooLarge(limit: Int)
}

extension PasswordListError: CataloguedError {
    /// The error's code, message, reason and advice.
    public var explanation: ErrorExplanation {
        switch self {
        case .noPasswordColumn:
            ErrorExplanation(
                "keychain.list-no-password-column", "The first line names no column of passwords.",
                reason: "The first line of a list of passwords names its columns, and one is called \"password\".",
                advice: "Export the passwords as CSV again, and do not edit the first line.")
        case .unclosedQuote(let line):
            ErrorExplanation(
                "keychain.list-unclosed-quote", "A quoted field that begins in line \(line) does not end.",
                reason: "The file was cut, or a quote inside the field is not doubled (RFC 4180 section 2).",
                advice: "Export the passwords again, or mend the line.")
        case .wrongFieldCount(let line, let found, let expected):
            ErrorExplanation(
                "keychain.list-wrong-field-count",
                "Line \(line) has \(found) fields where the first line names \(expected).",
                reason: "A field with a comma must stand in quotes (RFC 4180 section 2). Nothing was imported.",
                advice: "Export the passwords again, or mend the line.")
        case .tooLarge(let limit):
            ErrorExplanation(
                "keychain.list-too-large", "The list is larger than \(limit) bytes.",
                reason: "It is read into memory as a whole.", advice: "Divide it into several files.")
        }
    }

    package static var examples: [PasswordListError] {
        [
            .noPasswordColumn, .unclosedQuote(line: 7), .wrongFieldCount(line: 7, found: 3, expected: 4),
            .tooLarge(limit: 256 << 20),
        ]
    }
}
