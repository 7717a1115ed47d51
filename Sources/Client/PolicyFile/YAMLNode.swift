// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A value of a YAML document, and where it begins.
struct YAMLNode {
    enum Content {
        /// Every scalar is a text, so that no version of YAML decides what "no" or "1e3" is.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([(key: YAMLNode, value: YAMLNode)])
    }

    let content: Content
    /// From 1.
    let line: Int
    /// From 1, in Unicode scalars.
    let column: Int
}
