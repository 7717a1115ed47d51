// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a challenge field makes no sense.
@nonexhaustive
public enum HTTPChallengeError: Error, Hashable, Sendable {
    /// Something stands at this byte of a field's value that no challenge can have there.
    case malformed(offset: Int)
    /// A quoted string that starts at this byte has no end.
    case unterminatedString(offset: Int)
    /// One challenge gives one parameter two values, and there is no telling which is meant.
    case repeatedParameter(String)
    /// The fields are larger than the limit, in bytes.
    case tooLarge(limit: Int)
    /// There are more challenges than the limit.
    case tooMany(limit: Int)
    /// One challenge has more parameters than the limit.
    case tooManyParameters(limit: Int)
}
