// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A document that an import or include names and that was not read.
public struct MissingDocument: Hashable, Sendable {
    /// The reason why a document was not read.
    public enum Cause: Hashable, Sendable {
        /// The document is on another host, and the options do not allow that.
        case remote
        /// The document is a file of this machine, and the one that names it came over a network.
        case local
        /// The source failed to get the document, for the problem that it describes.
        case source(problem: String)
    }

    /// The document's URL or path, resolved against that of the document that names it.
    public var document: String
    /// The namespace that the import names; `nil` where it names none.
    public var namespace: String?
    /// The place of the import.
    public var location: SourceLocation
    /// The reason why the document was not read.
    public var cause: Cause

    /// Creates a missing document from its parts.
    public init(document: String, namespace: String?, location: SourceLocation, cause: Cause) {
        (self.document, self.namespace, self.location, self.cause) = (document, namespace, location, cause)
    }
}

extension MissingDocument: CustomStringConvertible {
    /// The place, the document and the cause, in one line.
    public var description: String {
        let cause =
            switch cause {
            case .remote: "it is remote"
            case .local: "it is a local file, named by a remote document"
            case .source(let problem): problem.isEmpty ? "it cannot be read" : problem
            }
        return "\(location): \(document) (\(cause))"
    }
}
