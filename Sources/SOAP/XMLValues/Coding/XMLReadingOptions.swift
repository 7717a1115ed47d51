// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How strictly a message is compared with its schema.
public struct XMLReadingOptions: Hashable, Sendable {
    /// Whether elements may stand in any order, and unknown elements and texts between elements are skipped; `false` by default.
    public var isLenient = false
    /// Whether the facets of types are checked; `true` by default.
    public var checksFacets = true
    /// How deep elements may be nested within a value; 128 by default.
    ///
    /// A level of a recursive type takes 2 to 6 KiB of the thread's stack.
    public var depth = 128

    /// The default options: the message has to follow the schema exactly.
    public static let strict = XMLReadingOptions()

    /// The order of elements is ignored, unknown elements are skipped, and facets are not checked.
    public static var lenient: XMLReadingOptions {
        var options = XMLReadingOptions()
        (options.isLenient, options.checksFacets) = (true, false)
        return options
    }

    /// Creates the strict options.
    public init() {}
}
