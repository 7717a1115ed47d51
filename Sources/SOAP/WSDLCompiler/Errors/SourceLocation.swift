// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A place in a document, for messages.
public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
    /// The document's URL or path, as the reader was given it.
    public var document: String
    /// The line, from 1.
    ///
    /// Lines from 65,535 on are all reported as 65,535.
    public var line: Int

    /// Creates a place from its parts.
    public init(document: String, line: Int) { (self.document, self.line) = (document, line) }

    /// The place as `document:line`.
    public var description: String { "\(document):\(line)" }
}
