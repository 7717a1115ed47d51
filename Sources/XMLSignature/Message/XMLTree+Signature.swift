// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension XMLTree {
    /// The signature at a path; for an empty one the only signature, not counting those within it.
    func signature(at path: [XMLName]) throws(XMLSignatureError) -> XMLElement {
        guard path.isEmpty else {
            guard path.last == .ds("Signature") else { throw .noSignature }
            return try element(at: path)
        }
        var found: [XMLElement] = []
        root.forEach { element in
            guard element.name == .ds("Signature") else { return }
            let isNested = sequence(first: element, next: \.parent).dropFirst().contains { found.contains($0) }
            if !isNested { found.append(element) }
        }
        guard let signature = found.first else { throw .noSignature }
        guard found.count == 1 else { throw .severalSignatures(count: found.count) }
        return signature
    }
}
