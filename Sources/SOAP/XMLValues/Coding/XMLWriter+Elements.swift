// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import XMLDocuments

extension XMLWriter {
    /// Writes an element with a value.
    ///
    /// - Parameters:
    ///   - local: The element's local name.
    ///   - namespace: The element's namespace; empty, the default, for none.
    ///   - value: The value.
    ///   - type: The `xsi:type` for the SOAP encoding; by default that of the value.
    ///     ``SOAPEncoding/literal`` writes none.
    /// - Throws: ``XMLValueError/tooDeep(depth:at:)``, ``XMLValueError/misplaced(at:)``, ``XMLValueError/name(_:at:)``,
    ///   and errors of the value.
    public mutating func element<Value: XMLCodable>(
        _ local: String, in namespace: String = "", _ value: Value, type: XMLName? = nil
    ) throws(XMLValueError) {
        try startElement(local, in: namespace)
        do throws(XMLValueError) {
            if encoding != .literal, let type = type ?? Value.xmlType { try typeAttribute(encoded(type)) }
            try value.encode(to: &self)
        } catch {
            throw error.located(at: place)
        }
        try endElement()
    }

    /// Returns the name of a type; types of the SOAP encoding have another namespace in SOAP 1.2.
    private func encoded(_ type: XMLName) -> XMLName {
        guard encoding == .soap12, type.namespace == XMLNamespace.encoding11 else { return type }
        return XMLName(type.local, in: XMLNamespace.encoding12)
    }

    /// Writes an element with a value; nothing for `nil`.
    ///
    /// - Throws: ``XMLValueError/tooDeep(depth:at:)``, ``XMLValueError/misplaced(at:)``, ``XMLValueError/name(_:at:)``,
    ///   and errors of the value.
    public mutating func element(
        _ local: String, in namespace: String = "", _ value: (some XMLCodable)?, type: XMLName? = nil
    ) throws(XMLValueError) {
        guard let value else { return }
        try element(local, in: namespace, value, type: type)
    }

    /// Writes an element for each value.
    ///
    /// - Throws: ``XMLValueError/tooDeep(depth:at:)``, ``XMLValueError/misplaced(at:)``, ``XMLValueError/name(_:at:)``,
    ///   and errors of a value.
    public mutating func elements(
        _ local: String, in namespace: String = "", _ values: [some XMLCodable], type: XMLName? = nil
    ) throws(XMLValueError) {
        for value in values { try element(local, in: namespace, value, type: type) }
    }

    /// Writes an element with a value, or a null one (`xsi:nil`) for `nil`.
    ///
    /// - Throws: ``XMLValueError/tooDeep(depth:at:)``, ``XMLValueError/misplaced(at:)``, ``XMLValueError/name(_:at:)``,
    ///   and errors of the value.
    public mutating func nillable(
        _ local: String, in namespace: String = "", _ value: (some XMLCodable)?, type: XMLName? = nil
    ) throws(XMLValueError) {
        if let value { return try element(local, in: namespace, value, type: type) }
        try startElement(local, in: namespace)
        try attribute("nil", in: XMLNamespace.instance, true)
        try endElement()
    }

    /// Writes an element with a value or a null one (`xsi:nil`); nothing for an absent one.
    ///
    /// - Throws: ``XMLValueError/tooDeep(depth:at:)``, ``XMLValueError/misplaced(at:)``, ``XMLValueError/name(_:at:)``,
    ///   and errors of the value.
    public mutating func nillable<Value: XMLCodable>(
        _ local: String, in namespace: String = "", _ value: NillableElement<Value>, type: XMLName? = nil
    ) throws(XMLValueError) {
        guard value != .absent else { return }
        try nillable(local, in: namespace, value.value, type: type)
    }

    /// Writes an element for each item: one with the value, or a null one (`xsi:nil`) for `nil`.
    ///
    /// - Throws: ``XMLValueError/tooDeep(depth:at:)``, ``XMLValueError/misplaced(at:)``, ``XMLValueError/name(_:at:)``,
    ///   and errors of a value.
    public mutating func nillables<Value: XMLCodable>(
        _ local: String, in namespace: String = "", _ values: [Value?], type: XMLName? = nil
    ) throws(XMLValueError) {
        for value in values { try nillable(local, in: namespace, value, type: type) }
    }

    /// Writes the elements of a group.
    ///
    /// - Throws: Errors of the group.
    public mutating func group(_ value: some XMLGroup) throws(XMLValueError) {
        do throws(XMLValueError) { try value.encode(to: &self) } catch { throw error.located(at: place) }
    }

    /// Writes the elements of a group; nothing for `nil`.
    ///
    /// - Throws: Errors of the group.
    public mutating func group(_ value: (some XMLGroup)?) throws(XMLValueError) {
        guard let value else { return }
        try group(value)
    }

    /// Writes the elements of groups, one group after the other.
    ///
    /// - Throws: Errors of a group.
    public mutating func groups(_ values: [some XMLGroup]) throws(XMLValueError) {
        for value in values { try group(value) }
    }
}

// MARK: Elements that no declaration describes

extension XMLWriter {
    /// Writes an element that no declaration describes.
    ///
    /// - Throws: ``XMLValueError/tooDeep(depth:at:)``, ``XMLValueError/misplaced(at:)``, ``XMLValueError/name(_:at:)``
    ///   and ``XMLValueError/character(_:at:)``.
    public mutating func any(_ value: XMLElementValue) throws(XMLValueError) {
        try startElement(value.name.local, in: value.name.namespace, declaring: value.prefixes)
        try attributes(value.attributes)
        try mixed(value.content)
        try endElement()
    }

    /// Writes an element that no declaration describes; nothing for `nil`.
    ///
    /// - Throws: ``XMLValueError/tooDeep(depth:at:)``, ``XMLValueError/misplaced(at:)``, ``XMLValueError/name(_:at:)``
    ///   and ``XMLValueError/character(_:at:)``.
    public mutating func any(_ value: XMLElementValue?) throws(XMLValueError) {
        guard let value else { return }
        try any(value)
    }

    /// Writes elements that no declaration describes.
    ///
    /// - Throws: ``XMLValueError/tooDeep(depth:at:)``, ``XMLValueError/misplaced(at:)``, ``XMLValueError/name(_:at:)``
    ///   and ``XMLValueError/character(_:at:)``.
    public mutating func any(_ values: [XMLElementValue]) throws(XMLValueError) {
        for value in values { try any(value) }
    }

    /// Writes texts and elements in order.
    ///
    /// - Throws: ``XMLValueError/tooDeep(depth:at:)``, ``XMLValueError/misplaced(at:)``, ``XMLValueError/name(_:at:)``
    ///   and ``XMLValueError/character(_:at:)``.
    public mutating func mixed(_ content: [XMLContent]) throws(XMLValueError) {
        for part in content {
            switch part {
            case .text(let text): try write(text: text)
            case .element(let element): try any(element)
            }
        }
    }
}
