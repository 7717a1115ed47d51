// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A place in a message: the elements around it, and its line.
public struct XMLPlace: Hashable, Sendable {
    /// The local names from the document's element down, such as `Envelope/Body/price`; `@name` at the end is an attribute.
    ///
    /// Empty where the value stands in no document.
    public let path: String
    /// The line, from 1; `nil` while a message is written.
    public let line: Int?

    /// No place, for values outside of a document.
    public init() { (path, line) = ("", nil) }

    package init(path: String, line: Int?) { (self.path, self.line) = (path, line) }

    /// The same place with an attribute.
    package func attribute(_ local: String) -> XMLPlace { XMLPlace(path: "\(path)/@\(local)", line: line) }
}
