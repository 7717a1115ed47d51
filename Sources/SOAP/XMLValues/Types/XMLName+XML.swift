// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// `QName`: a name that is written with a prefix for its namespace.
extension XMLName: XMLSimpleType {
    /// `xsd:QName`.
    public static var xmlType: XMLName? { .schema("QName") }

    /// Reads a name with or without a prefix; without one it is in the default namespace.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` and ``XMLValueError/undeclaredPrefix(_:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let local = parts.last, parts.allSatisfy(\.isXMLName) else { throw .invalid(text: text, type: "QName") }
        let prefix = parts.count == 2 ? parts[0] : ""
        guard let namespace = scope.namespace(ofPrefix: prefix) else { throw .undeclaredPrefix(prefix) }
        self.init(local, in: namespace)
    }

    /// Returns the name with a prefix, which is declared if needed; without one where the name has no namespace.
    ///
    /// - Throws: ``XMLValueError/name(_:at:)`` where the local part cannot be written.
    public func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String {
        guard local.isXMLName else { throw .name(local) }
        let prefix = scope.prefix(for: namespace)
        return prefix.isEmpty ? local : "\(prefix):\(local)"
    }
}
