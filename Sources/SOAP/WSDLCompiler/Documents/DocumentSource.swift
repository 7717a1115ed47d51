// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// Gets the bytes of documents for a reader that does no input or output itself.
package protocol DocumentSource: Sendable {
    /// Gets a document by its path or its absolute URL.
    func document(at identifier: String) async throws -> [UInt8]
}

/// A source that is a closure.
package struct ClosureSource: DocumentSource {
    private let body: @Sendable (String) async throws -> [UInt8]

    package init(_ body: @escaping @Sendable (String) async throws -> [UInt8]) { self.body = body }

    package func document(at identifier: String) async throws -> [UInt8] { try await body(identifier) }
}

extension DocumentSource where Self == ClosureSource {
    /// Documents that are in memory, by their identifiers.
    package static func memory(_ documents: [String: String]) -> ClosureSource {
        ClosureSource { identifier in
            guard let document = documents[identifier] else { throw NoDocument() }
            return Array(document.utf8)
        }
    }
}

/// A source in memory lacks the document.
private struct NoDocument: Error, CustomStringConvertible {
    var description: String { "There is no such document" }
}

/// Which documents are read, and how much of them.
package struct DescriptionOptions: Sendable {
    /// Which documents of other hosts are read.
    package enum RemoteDocuments: Hashable, Sendable {
        /// None but those of the host that the description itself came from.
        case sameHost
        /// All that are imported by HTTP.
        case all
    }

    package var remoteDocuments = RemoteDocuments.sameHost
    /// Paths or URLs to read in place of others.
    ///
    /// A key is a URL or path as an import has it or as it is resolved, or a namespace.
    package var catalogue: [String: String] = [:]
    package var limits = XMLLimits()
    package var mostDocuments = 1_000
    /// The most bytes of all documents together; 256 MiB by default.
    package var mostBytes = 256 << 20
    /// The most particles, attributes and parts of messages, once groups, bases and messages are put where they are used.
    package var mostParts = 1_000_000
    /// Whether operations are left out that need what no document declares, with a warning for each reference.
    ///
    /// A type that is missing is then read as one of any content.
    package var leavesOutBrokenOperations = false

    package init() { limits.allowsUndeclaredPrefixes = true }
}
