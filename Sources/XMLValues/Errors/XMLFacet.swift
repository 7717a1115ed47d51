// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A facet that a value does not satisfy (XML Schema Part 2 section 4.3).
public enum XMLFacet: Hashable, Sendable {
    /// The exact length: characters, bytes or items.
    case length(Int)
    /// The least length.
    case minimumLength(Int)
    /// The greatest length.
    case maximumLength(Int)
    /// None of the patterns matches.
    case patterns([String])
    /// The value is less than the bound.
    case minimumInclusive(String)
    /// The value is not greater than the bound.
    case minimumExclusive(String)
    /// The value is greater than the bound.
    case maximumInclusive(String)
    /// The value is not less than the bound.
    case maximumExclusive(String)
    /// The most decimal digits.
    case totalDigits(Int)
    /// The most decimal digits of the fraction.
    case fractionDigits(Int)
    /// The value is none of these.
    case enumeration([String])
    /// The value has to be this one.
    case fixed(String)
}
