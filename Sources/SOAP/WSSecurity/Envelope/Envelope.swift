// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// A message's envelope with its parts where they must be: a body that is a child of the envelope, and a header
/// before it.
struct Envelope {
    let tree: XMLTree
    let namespace: SOAPEnvelopeNamespace
    let header: XMLElement?
    let body: XMLElement

    /// Parses an envelope.
    init(_ bytes: [UInt8], limits: XMLLimits) throws(WSSecurityError) {
        try self.init(inDocument { () throws(XMLDocumentError) in try XMLTree(parsing: bytes, limits: limits) })
    }

    /// Finds the parts of an envelope (SOAP 1.1 section 4, SOAP 1.2 part 1 section 5).
    init(_ tree: XMLTree) throws(WSSecurityError) {
        self.tree = tree
        let name = tree.root.name
        guard name.local == "Envelope", let namespace = SOAPEnvelopeNamespace(rawValue: name.namespace) else {
            throw .notAnEnvelope
        }
        self.namespace = namespace
        var parts = tree.root.children[...]
        header = parts.first.flatMap { $0.name == namespace.name("Header") ? $0 : nil }
        if header != nil { parts = parts.dropFirst() }
        guard let body = parts.first, body.name == namespace.name("Body"),
            !parts.dropFirst().contains(where: {
                $0.name == namespace.name("Body") || $0.name == namespace.name("Header")
            })
        else { throw .notAnEnvelope }
        self.body = body
    }

    /// The `Security` header for an actor; `nil` where there is none.
    func security(for actor: String?) throws(WSSecurityError) -> XMLElement? {
        let found = (header?.children ?? []).filter {
            $0.name == .wsse("Security") && ($0[namespace.actor] ?? "") == (actor ?? "")
        }
        // The standard forbids two for the same actor (SOAP Message Security 1.1 section 5).
        guard found.count <= 1 else { throw .severalSecurityHeaders }
        return found.first
    }
}

/// Throws the error of a document as one of its security.
func inDocument<Result>(_ body: () throws(XMLDocumentError) -> Result) throws(WSSecurityError) -> Result {
    do {
        return try body()
    } catch {
        throw .document(error)
    }
}
