// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
package import XMLDocuments

/// The envelope of a response, with its parts found and not read.
package struct ReceivedEnvelope {
    let tree: XMLTree
    let version: SOAPVersion
    /// The header blocks.
    let headers: [XMLElement]
    let header: XMLElement?
    let body: XMLElement
    /// The elements in the Body.
    let bodyElements: [XMLElement]

    /// Parses an envelope.
    ///
    /// - Parameters:
    ///   - bytes: The document, in an encoding that it declares.
    ///   - expected: The version of the request. A fault may come in the other one (SOAP 1.2 Part 1 appendix A).
    ///   - limits: What is refused for its size.
    /// - Throws: ``SOAPClientError`` for what is no envelope of the version.
    package init(_ bytes: [UInt8], expecting expected: SOAPVersion, limits: XMLLimits) throws(SOAPClientError) {
        do throws(XMLDocumentError) { tree = try XMLTree(parsing: bytes, limits: limits) } catch {
            if case .tooLarge(let most) = error { throw .responseTooLarge(mostBytes: most) }
            throw .document(error)
        }
        let root = tree.root.name
        guard root.local == "Envelope" else { throw .notAnEnvelope(root) }
        guard let version = SOAPVersion.allCases.first(where: { $0.namespace == root.namespace }) else {
            throw .versionMismatch(expected: expected, namespace: root.namespace)
        }
        var parts = tree.root.children[...]
        if parts.first?.name == version.name("Header") {
            header = parts.removeFirst()
        } else {
            header = nil
        }
        headers = header?.children ?? []
        guard let body = parts.popFirst() else { throw .malformedEnvelope(.noBody) }
        guard body.name == version.name("Body") else { throw .malformedEnvelope(.unexpected(body.name)) }
        // SOAP 1.1 allows other elements after the Body. They mean nothing here, and a second Body would be a trap.
        if let next = parts.first { throw .malformedEnvelope(.unexpected(next.name)) }
        (self.version, self.body, bodyElements) = (version, body, body.children)
        guard version == expected || fault != nil else {
            throw .versionMismatch(expected: expected, namespace: version.namespace)
        }
    }

    /// The fault, where the Body has one.
    package var fault: FaultReader? {
        guard let first = bodyElements.first, first.name == version.name("Fault") else { return nil }
        return FaultReader(element: first, tree: tree, version: version)
    }

    /// The headers for this receiver that must be understood, and are not among some names.
    package func headersNotUnderstood(besides understood: Set<XMLName>) -> [XMLName] {
        let roles = version.receiverRoles
        return headers.filter { header in
            let value = header[version.name("mustUnderstand")]?[...].trimmed
            guard value == "1" || value == "true", !understood.contains(header.name) else { return false }
            return roles.contains(String(header[version.roleAttribute]?[...].trimmed ?? ""))
        }.map(\.name)
    }

    /// The header blocks as values.
    package func headerValues() throws(XMLValueError) -> [XMLElementValue] {
        guard let header else { return [] }
        var reader = try XMLReader(header, of: tree, options: .lenient)
        return try reader.anys(.any)
    }
}
