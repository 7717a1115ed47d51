// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The defect of a challenge field (RFC 9110 section 11), or of the field that comes with acceptance (RFC 7615).
@nonexhaustive
public enum HTTPChallengeError: Error, Hashable, Sendable {
    /// A field's value has something at this byte, counted from 0, that no challenge can have there.
    case malformed(offset: Int)
    /// A quoted string that starts at this byte, counted from 0, has no closing quote.
    case unterminatedString(offset: Int)
    /// One challenge gives one parameter two values, so that it is unclear which is meant. Holds the parameter's name.
    case repeatedParameter(String)
    /// The fields together are larger than the limit, which is in bytes.
    case tooLarge(limit: Int)
    /// The fields have more challenges than the limit.
    case tooMany(limit: Int)
    /// One challenge has more parameters than the limit.
    case tooManyParameters(limit: Int)
}
