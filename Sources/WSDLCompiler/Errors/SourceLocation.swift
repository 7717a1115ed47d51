// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A place in a document, for messages.
public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
    /// The document's URL or path, as the reader was given it.
    public var document: String
    /// The line, from 1.
    public var line: Int

    /// A place by its parts.
    public init(document: String, line: Int) { (self.document, self.line) = (document, line) }

    /// `document:line`.
    public var description: String { "\(document):\(line)" }
}
