// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2
internal import XMLDocuments

extension XMLTree {
    /// Parses a document.
    static func parse(_ bytes: [UInt8], limits: XMLLimits) throws(XMLSignatureError) -> XMLTree {
        try inDocument { () throws(XMLDocumentError) in try XMLTree(parsing: bytes, limits: limits) }
    }

    /// The signature at a path; for an empty one the only signature, not counting those within it.
    func signature(at path: [XMLName]) throws(XMLSignatureError) -> XMLElement {
        guard path.isEmpty else {
            guard path.last == .ds("Signature") else { throw .noSignature }
            return try inDocument { () throws(XMLDocumentError) in try element(at: path) }
        }
        var found: [XMLElement] = []
        root.forEach { element in
            guard element.pointer.pointee.name?.pointee == 0x53, element.name == .ds("Signature") else { return }
            let isNested = sequence(first: element, next: \.parent).dropFirst().contains { found.contains($0) }
            if !isNested { found.append(element) }
        }
        guard let signature = found.first else { throw .noSignature }
        guard found.count == 1 else { throw .severalSignatures(count: found.count) }
        return signature
    }
}

/// Throws the error of a document as one of its signature.
func inDocument<Result>(_ body: () throws(XMLDocumentError) -> Result) throws(XMLSignatureError) -> Result {
    do {
        return try body()
    } catch {
        throw .document(error)
    }
}
