// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A place in a message: the path of its element, and its line.
public struct XMLPlace: Hashable, Sendable {
    /// The local names from the document's element down, such as `Envelope/Body/price`; `@name` at the end is an attribute.
    ///
    /// Empty where the value stands in no document.
    public let path: String
    /// The line, from 1; `nil` while a message is written, and 65,535 for each line from there on.
    public let line: Int?

    /// Creates the place of a value that stands in no document.
    public init() { (path, line) = ("", nil) }

    package init(path: String, line: Int?) { (self.path, self.line) = (path, line) }

    /// The same place with an attribute.
    package func attribute(_ local: String) -> XMLPlace { XMLPlace(path: "\(path)/@\(local)", line: line) }
}
