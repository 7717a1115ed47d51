// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import XMLDocuments

extension XMLReader {
    /// Reads a required element.
    ///
    /// - Throws: ``XMLValueError/missingElement(_:found:at:)``, ``XMLValueError/unexpectedNull(at:)``, and errors of
    ///   the value's initializer.
    public mutating func element<Value: XMLCodable>(
        _ local: String, in namespace: String = ""
    ) throws(XMLValueError) -> Value {
        try read(take(local, in: namespace))
    }

    /// Reads a required element; if it is empty, its value is read from the schema's default text.
    ///
    /// - Throws: ``XMLValueError/missingElement(_:found:at:)``, ``XMLValueError/unexpectedNull(at:)``, and errors of
    ///   the value's initializer.
    public mutating func element<Value: XMLCodable>(
        _ local: String, in namespace: String = "", default text: String
    ) throws(XMLValueError) -> Value {
        try read(take(local, in: namespace), defaultText: text)
    }

    /// Reads an element; returns `nil` if it is absent.
    ///
    /// - Throws: ``XMLValueError/unexpectedNull(at:)``, and errors of the value's initializer.
    public mutating func optionalElement<Value: XMLCodable>(
        _ local: String, in namespace: String = ""
    ) throws(XMLValueError) -> Value? {
        guard let element = try takeOptional(local, in: namespace) else { return nil }
        return try read(element)
    }

    /// Reads an element; if it is empty, its value is read from the schema's default text.
    ///
    /// Returns `nil` if the element is absent.
    ///
    /// - Throws: ``XMLValueError/unexpectedNull(at:)``, and errors of the value's initializer.
    public mutating func optionalElement<Value: XMLCodable>(
        _ local: String, in namespace: String = "", default text: String
    ) throws(XMLValueError) -> Value? {
        guard let element = try takeOptional(local, in: namespace) else { return nil }
        return try read(element, defaultText: text)
    }

    /// Reads the next elements, up to the first one with another name.
    ///
    /// - Throws: ``XMLValueError/unexpectedNull(at:)``, and errors of the value's initializer.
    public mutating func elements<Value: XMLCodable>(
        _ local: String, in namespace: String = ""
    ) throws(XMLValueError) -> [Value] {
        var values: [Value] = []
        while let element = try takeOptional(local, in: namespace) { values.append(try read(element)) }
        return values
    }

    /// Reads a required element; returns `nil` if it is null (`xsi:nil`).
    ///
    /// - Throws: ``XMLValueError/missingElement(_:found:at:)``, ``XMLValueError/contentInNull(at:)``, and errors of
    ///   the value's initializer.
    public mutating func nillable<Value: XMLCodable>(
        _ local: String, in namespace: String = ""
    ) throws(XMLValueError) -> Value? {
        try readNillable(take(local, in: namespace))
    }

    /// Reads an element that may be absent or null (`xsi:nil`).
    ///
    /// - Throws: ``XMLValueError/contentInNull(at:)``, and errors of the value's initializer.
    public mutating func optionalNillable<Value: XMLCodable>(
        _ local: String, in namespace: String = ""
    ) throws(XMLValueError) -> NillableElement<Value> {
        guard let element = try takeOptional(local, in: namespace) else { return .absent }
        let value: Value? = try readNillable(element)
        return value.map(NillableElement.value) ?? .null
    }

    /// Reads the next elements, up to the first one with another name.
    ///
    /// The result contains `nil` for each element that is null (`xsi:nil`).
    ///
    /// - Throws: ``XMLValueError/contentInNull(at:)``, and errors of the value's initializer.
    public mutating func nillables<Value: XMLCodable>(
        _ local: String, in namespace: String = ""
    ) throws(XMLValueError) -> [Value?] {
        var values: [Value?] = []
        while let element = try takeOptional(local, in: namespace) { values.append(try readNillable(element)) }
        return values
    }

    /// Returns whether the next element has the given name.
    public func isNext(_ local: String, in namespace: String = "") -> Bool {
        cursor.next?.hasName(local, in: namespace) ?? false
    }

    /// Returns whether the wildcard accepts the next element; `false` if there is no next element.
    public func isNextAny(_ wildcard: XMLWildcard) -> Bool {
        cursor.next.map { wildcard.accepts($0.namespace) } ?? false
    }

    /// Allows the following elements to be read in any order (`xs:all`), until ``endAll()``.
    ///
    /// - Throws: ``XMLValueError/unexpectedText(_:at:)`` if there is text between elements, unless reading is lenient.
    public mutating func beginAll() throws(XMLValueError) {
        if !context.options.isLenient, let text = cursor.textBeforeEnd { throw .unexpectedText(text, at: place) }
        cursor.beginAnyOrder()
    }

    /// Ends reading in any order, which ``beginAll()`` started.
    ///
    /// Lenient reading continues in any order.
    public mutating func endAll() {
        if !context.options.isLenient { cursor.endAnyOrder() }
    }
}

extension XMLReader {
    private mutating func take(_ local: String, in namespace: String) throws(XMLValueError) -> XMLElement {
        guard let element = cursor.find(local, in: namespace, skipping: true) else {
            throw .missingElement(XMLName(local, in: namespace), found: cursor.next?.name, at: place)
        }
        try take(element)
        return element
    }

    private mutating func takeOptional(_ local: String, in namespace: String) throws(XMLValueError) -> XMLElement? {
        guard let element = cursor.find(local, in: namespace, skipping: false) else { return nil }
        try take(element)
        return element
    }

    /// Checks the text before an element, and marks the element as read.
    mutating func take(_ element: XMLElement) throws(XMLValueError) {
        try checkText()
        cursor.take(element)
    }

    private func checkText() throws(XMLValueError) {
        guard !context.options.isLenient, let text = cursor.textBeforeNext else { return }
        throw .unexpectedText(text, at: place)
    }

    /// Reads the value of an element that was marked as read.
    package func read<Value: XMLCodable>(
        _ element: XMLElement, defaultText: String? = nil
    ) throws(XMLValueError) -> Value {
        guard context.references != nil else { return try readTarget(element, defaultText: defaultText) }
        return try follow(element) { (element) throws(XMLValueError) in
            try readTarget(element, defaultText: defaultText)
        }
    }

    /// Calls the closure with the target of an element's reference, or with the element itself.
    private func follow<Value>(
        _ element: XMLElement, _ body: (XMLElement) throws(XMLValueError) -> Value
    ) throws(XMLValueError) -> Value {
        let depth = context.references?.depth ?? 0
        defer { context.references?.leave(to: depth) }
        return try body(try context.references?.enter(element) ?? element)
    }

    private func readTarget<Value: XMLCodable>(
        _ element: XMLElement, defaultText: String?
    ) throws(XMLValueError) -> Value {
        guard !element.isNull else { throw .unexpectedNull(at: element.place) }
        var reader = try XMLReader(element, context: context, depth: depth + 1)
        reader.defaultText = defaultText
        do throws(XMLValueError) {
            let value = try Value(from: &reader)
            try reader.finish()
            return value
        } catch {
            throw error.located(at: element.place)
        }
    }

    private func readNillable<Value: XMLCodable>(_ element: XMLElement) throws(XMLValueError) -> Value? {
        try follow(element) { (target) throws(XMLValueError) -> Value? in
            if target.isNull { try checkNull(target) }
            return target.isNull ? nil : try readTarget(target, defaultText: nil)
        }
    }

    private func checkNull(_ element: XMLElement) throws(XMLValueError) {
        let isEmpty = XMLWhiteSpace.collapse.normalize(element.textContent ?? "x").isEmpty
        guard isEmpty || context.options.isLenient else { throw .contentInNull(at: element.place) }
    }
}

extension XMLElement {
    /// Whether the element has `xsi:nil="true"`.
    package var isNull: Bool {
        guard hasAttributes, let text = attribute("nil", in: XMLNamespace.instance) else { return false }
        return ["true", "1"].contains(XMLWhiteSpace.collapse.normalize(text))
    }
}

extension XMLReader {
    /// Reads a required group.
    ///
    /// - Throws: Errors of the group's initializer.
    public mutating func group<Group: XMLGroup>() throws(XMLValueError) -> Group {
        if let group: Group = try optionalGroup() { return group }
        // A group whose elements are all optional may be empty; other groups throw an error for the missing element.
        return try readGroup()
    }

    /// Reads a group; returns `nil` if no group begins here.
    ///
    /// - Throws: Errors of the group's initializer.
    public mutating func optionalGroup<Group: XMLGroup>() throws(XMLValueError) -> Group? {
        guard let starts = cursor.starts else { return Group.begins(at: self) ? try readGroup() : nil }
        for index in starts {
            guard let found = cursor.at(index) else { continue }
            var reader = self
            reader.cursor = found
            guard Group.begins(at: reader) else { continue }
            cursor = found
            defer { cursor.leaveGroup() }
            return try readGroup()
        }
        return nil
    }

    /// Reads groups until none begins at the next element.
    ///
    /// - Throws: Errors of the group's initializer.
    public mutating func groups<Group: XMLGroup>() throws(XMLValueError) -> [Group] {
        var groups: [Group] = []
        while true {
            let before = cursor.progress
            guard let group: Group = try optionalGroup(), cursor.progress != before else { return groups }
            groups.append(group)
        }
    }

    private mutating func readGroup<Group: XMLGroup>() throws(XMLValueError) -> Group {
        do throws(XMLValueError) { return try Group(from: &self) } catch { throw error.located(at: place) }
    }
}
