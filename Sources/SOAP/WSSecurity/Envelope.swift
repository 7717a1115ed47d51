// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLSignature

/// An envelope whose parts are at their required positions: an optional header, then a body, as children of
/// the envelope.
struct Envelope {
    let tree: XMLTree
    let namespace: SOAPEnvelopeNamespace
    let header: XMLElement?
    let body: XMLElement

    /// Parses an envelope.
    init(_ bytes: [UInt8], limits: XMLLimits) throws(WSSecurityError) {
        try self.init(withDocumentErrors { () throws(XMLDocumentError) in try XMLTree(parsing: bytes, limits: limits) })
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

    /// Returns the `Security` header for an actor; `nil` if there is none.
    func security(for actor: String?) throws(WSSecurityError) -> XMLElement? {
        let found = (header?.children ?? []).filter {
            $0.name == .wsse("Security") && ($0[namespace.actor] ?? "") == (actor ?? "")
        }
        // The standard forbids two headers for the same actor (SOAP Message Security 1.1 section 5).
        guard found.count <= 1 else { throw .severalSecurityHeaders }
        return found.first
    }

    /// Returns the elements of a part at their required position.
    func elements(of part: MessagePart, _ security: XMLElement) -> [XMLElement] {
        switch part {
        case .body: [body]
        case .header(let name): (header?.children ?? []).filter { $0.name == name }
        case .timestamp: security.children.filter { $0.name == .wsu("Timestamp") }
        case .usernameToken: security.children.filter { $0.name == .wsse("UsernameToken") }
        case .certificate: security.children.filter { $0.name == .wsse("BinarySecurityToken") }
        }
    }
}

/// Converts document errors of the closure into a ``WSSecurityError``.
func withDocumentErrors<Result>(_ body: () throws(XMLDocumentError) -> Result) throws(WSSecurityError) -> Result {
    do {
        return try body()
    } catch {
        throw .document(error)
    }
}

/// The canonical form of an element with all namespace declarations in its scope.
enum ScopedBytes {
    static func bytes(of element: XMLElement, in tree: XMLTree) throws(WSSecurityError) -> [UInt8] {
        let prefixes = element.declaredPrefixes.sorted().map { $0.isEmpty ? "#default" : $0 }
        do {
            return try Canonicalization(.exclusive, inclusivePrefixes: prefixes).bytes(of: element, in: tree)
        } catch { throw .signature(error) }
    }
}

/// The namespace of an envelope, which determines the SOAP version.
enum SOAPEnvelopeNamespace: String, CaseIterable {
    case soap11 = "http://schemas.xmlsoap.org/soap/envelope/"
    case soap12 = "http://www.w3.org/2003/05/soap-envelope"

    func name(_ local: String) -> XMLName { XMLName(local, in: rawValue) }

    /// The name of the attribute that specifies the receiver of a header.
    var actor: XMLName { name(self == .soap11 ? "actor" : "role") }

    /// The value of `mustUnderstand` for true.
    var trueValue: String { self == .soap11 ? "1" : "true" }
}
