// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// A source of documents; the compiler itself does no input or output.
package protocol DocumentSource: Sendable {
    /// Returns the bytes of a document, by its path or absolute URL.
    func document(at identifier: String) async throws -> [UInt8]
}

/// A source that calls a closure.
package struct ClosureSource: DocumentSource {
    private let body: @Sendable (String) async throws -> [UInt8]

    package init(_ body: @escaping @Sendable (String) async throws -> [UInt8]) { self.body = body }

    package func document(at identifier: String) async throws -> [UInt8] { try await body(identifier) }
}

extension DocumentSource where Self == ClosureSource {
    /// A source of documents in memory, by their identifiers.
    package static func memory(_ documents: [String: String]) -> ClosureSource {
        ClosureSource { identifier in
            guard let document = documents[identifier] else { throw NoDocument() }
            return Array(document.utf8)
        }
    }
}

/// The error for a document that the in-memory source does not have.
private struct NoDocument: Error, CustomStringConvertible {
    var description: String { "There is no such document" }
}

/// The documents that may be read, and the size limits.
package struct DescriptionOptions: Sendable {
    /// The remote documents that may be read.
    package enum RemoteDocuments: Hashable, Sendable {
        /// Only documents on the same host as the description.
        case sameHost
        /// All documents that are imported over HTTP.
        case all
    }

    package var remoteDocuments = RemoteDocuments.sameHost
    /// The paths or URLs to read in place of others.
    ///
    /// A key is a URL or path as written in the import, a resolved URL or path, or a namespace.
    package var catalogue: [String: String] = [:]
    package var limits = XMLLimits()
    package var maximumDocumentCount = 1_000
    /// The maximum total size of all documents in bytes; 256 MiB by default.
    package var maximumByteCount = 256 << 20
    /// The maximum number of particles, attributes and message parts after groups, bases and messages are expanded.
    package var maximumPartCount = 1_000_000
    /// Whether operations with unresolved references are left out, with a warning for each reference, instead of
    /// throwing an error.
    ///
    /// A missing type is then treated as `xs:anyType`.
    package var omitsBrokenOperations = false

    package init() { limits.allowsUndeclaredPrefixes = true }
}
