// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a `.netrc` file cannot be used.
///
/// Lines count from 1; no word of the file is quoted, because any may be a password.
@nonexhaustive
public enum NetrcError: Error, Hashable, Sendable {
    /// The file has more bytes than the limit.
    case tooLarge(limit: Int)
    /// A quoted word has no end on its line.
    case unterminatedString(line: Int)
    /// A word stands where a keyword is expected: often a password with a space and without quotes.
    case unexpectedWord(line: Int)
    /// A keyword has nothing after it.
    case missingValue(NetrcFile.Keyword, line: Int)
    /// A keyword stands before the first `machine` or `default`.
    case outsideEntry(NetrcFile.Keyword, line: Int)
    /// One entry has the same keyword twice.
    case repeated(NetrcFile.Keyword, line: Int)
    /// A machine or a login is no text.
    case notUTF8(line: Int)
}
