// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

extension XMLCodable {
    /// Reads the value of a document's element.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - name: The name of the document's element; `nil` for any.
    ///   - options: How exactly the document has to be as its schema says.
    ///   - limits: What is refused for its size.
    /// - Throws: ``XMLValueError``.
    public init(
        xml bytes: [UInt8], element name: XMLName? = nil, options: XMLReadingOptions = .strict,
        limits: XMLLimits = XMLLimits()
    ) throws(XMLValueError) {
        let tree = try XMLTree(reading: bytes, limits: limits)
        let root = tree.root
        if let name, root.name != name { throw .wrongRoot(expected: name, found: root.name) }
        self = try XMLReader(root, of: tree, options: options).read(root)
    }

    /// A document whose element holds the value, in UTF-8.
    ///
    /// - Parameters:
    ///   - name: The name of the document's element.
    ///   - prefixes: The prefixes that it declares, with their namespaces.
    /// - Returns: The document, without an XML declaration.
    /// - Throws: ``XMLValueError``.
    public func xml(
        _ name: XMLName, prefixes: [(prefix: String, namespace: String)] = []
    ) throws(XMLValueError) -> [UInt8] {
        var writer = XMLWriter(prefixes: prefixes)
        try writer.element(name.local, in: name.namespace, self)
        return writer.bytes
    }
}

extension XMLTree {
    /// Parses a document, with the error of values.
    convenience init(reading bytes: [UInt8], limits: XMLLimits = XMLLimits()) throws(XMLValueError) {
        do throws(XMLDocumentError) { try self.init(parsing: bytes, limits: limits) } catch { throw .document(error) }
    }
}
