// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLSignature

/// The bytes of an element with every declaration that is in its scope.
enum ScopedBytes {
    static func bytes(of element: XMLElement, in tree: XMLTree) throws(WSSecurityError) -> [UInt8] {
        var prefixes = Set(element.namespaces.keys)
        element.forEach { prefixes.formUnion($0.ownNamespaces.keys) }
        let canonicalization = Canonicalization(
            .exclusive, inclusivePrefixes: prefixes.sorted().map { $0.isEmpty ? "#default" : $0 })
        do {
            return try canonicalization.bytes(of: element, in: tree)
        } catch { throw .signature(error) }
    }
}
