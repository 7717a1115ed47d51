// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
