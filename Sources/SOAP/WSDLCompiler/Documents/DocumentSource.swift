// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
