// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A facet that a value does not satisfy (XML Schema Part 2 section 4.3).
public enum XMLFacet: Hashable, Sendable {
    /// The length is not this one: Unicode scalars of a text, bytes of binary data, or items of a list.
    case length(Int)
    /// The length is less than this one.
    case minimumLength(Int)
    /// The length is greater than this one.
    case maximumLength(Int)
    /// The text of the value matches none of these regular expressions.
    case patterns([String])
    /// The value is less than this bound, or not comparable with it.
    case minimumInclusive(String)
    /// The value is not greater than this bound.
    case minimumExclusive(String)
    /// The value is greater than this bound, or not comparable with it.
    case maximumInclusive(String)
    /// The value is not less than this bound.
    case maximumExclusive(String)
    /// The value has more decimal digits than this.
    case totalDigits(Int)
    /// The value has more decimal digits after the point than this.
    case fractionDigits(Int)
    /// The value is none of the values with these texts.
    case enumeration([String])
    /// The value is not the one with this text, which alone is allowed.
    case fixed(String)
}
