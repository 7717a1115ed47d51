// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How exactly a message has to be as its schema says.
public struct XMLReadingOptions: Hashable, Sendable {
    /// Whether elements may stand in any order, and unknown elements and texts between elements are skipped.
    public var isLenient = false
    /// Whether the facets of types are checked.
    public var checksFacets = true
    /// How deep elements may be nested within a value; 128 by default.
    ///
    /// A level of a recursive type takes 2 to 6 KiB of the thread's stack.
    public var depth = 128

    /// Exactly as the schema says.
    public static let strict = XMLReadingOptions()

    /// The order of elements is ignored, unknown elements are skipped, and facets are not checked.
    public static var lenient: XMLReadingOptions {
        var options = XMLReadingOptions()
        (options.isLenient, options.checksFacets) = (true, false)
        return options
    }

    /// The strict options.
    public init() {}
}
