// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
internal import XMLDocuments
internal import XMLValues

/// Converts elements to JSON values, and checks them against their declarations.
struct ValueDecoder {
    let schema: SchemaSet
    let tree: XMLTree
    /// The targets of references; `nil` for literal messages, in which `href` is an ordinary attribute.
    let targets: ReferenceTargets?
    /// The closure that receives each tolerated problem; `nil` if the first problem is thrown.
    let report: ((WSDLCompilerError) -> Void)?

    private func problem(_ error: XMLValueError, at path: String) throws(WSDLCompilerError) {
        let error = WSDLCompilerError.value(path: path, .invalid(error))
        guard let report else { throw error }
        report(error)
    }

    /// Converts an element that has a declaration.
    func value(
        of element: XMLElement, _ declaration: ElementDeclaration, at path: String, depth: Int = 0
    ) throws(WSDLCompilerError) -> JSONValue {
        guard depth < 200 else { throw .value(path: path, .wrongKind(expected: "a value that is nested less deep")) }
        if let id = targets?.missing(for: element) { try problem(.missingReference(id), at: path) }
        if let target = targets?.target(of: element) {
            return try value(of: target, declaration, at: path, depth: depth + 1)
        }
        let (type, typeName) = try type(of: element, declaration, at: path)
        var members = typeName.map { [JSONValue.Member("@type", .string($0))] } ?? []
        let definition = schema.definition(of: type)
        if element.isNull {
            if !declaration.isNillable, targets == nil { try problem(.unexpectedNull(), at: path) }
            if !element.children.isEmpty || element.allText.nonEmpty != nil { try problem(.contentInNull(), at: path) }
            let complex: ComplexType? = if case .complex(let type)? = definition { type } else { nil }
            let attributes = try self.attributes(of: element, complex, isNull: true, at: path)
            return attributes.isEmpty ? .null : .object(attributes + [JSONValue.Member("#text", .null)])
        }
        if case .complex(let type)? = definition {
            return try value(of: element, type, declaration, members, at: path, depth: depth)
        }
        if definition == nil, case .builtIn(.anyType) = type {
            return try anyValue(of: element, at: path, depth: depth)
        }
        members += try attributes(of: element, nil, at: path)
        if typeName != nil {
            // The type in xsi:type restricts the declared type, whose facets apply too.
            _ = try scalar(element.allText, schema.simpleShape(of: declaration.type), at: element, path)
        }
        let text = try text(of: element, schema.simpleShape(of: type), declaration, at: path)
        guard !members.isEmpty else { return text }
        return .object(members + [JSONValue.Member("#text", text)])
    }

    private func value(
        of element: XMLElement, _ type: ComplexType, _ declaration: ElementDeclaration, _ members: [JSONValue.Member],
        at path: String, depth: Int
    ) throws(WSDLCompilerError) -> JSONValue {
        if let item = type.soapArrayItem { return try array(element, item, at: path, depth: depth) }
        if type.isAbstract { try problem(.unknownType(nil), at: path) }
        var members = members + (try attributes(of: element, type, at: path))
        var model = Particle(term: .sequence([]))
        switch type.content {
        case .simple(let content):
            let text = try text(of: element, schema.simpleShape(of: content), declaration, at: path)
            if members.isEmpty { return text }
            members.append(JSONValue.Member("#text", text))
            return .object(members)
        case .elements(let particle): model = particle
        case .empty: break
        }
        if declaresAttachment(model) {
            // The attachment's bytes may already have replaced the xop:Include element that the schema declares.
            if element.children.isEmpty, let text = element.directText.nonEmpty {
                let bytes = try scalar(text, .atomic(.base64Binary, []), at: element, path)
                return .object(members + [JSONValue.Member("#text", bytes)])
            }
        } else if let error = attachment(element) {
            throw .value(path: path, .invalid(error))
        }
        members += try content(of: element, model, isMixed: type.isMixed, at: path, depth: depth)
        return .object(members)
    }

    private func array(
        _ element: XMLElement, _ item: TypeReference, at path: String, depth: Int
    ) throws(WSDLCompilerError) -> JSONValue {
        var items: [JSONValue] = []
        for child in element.children {
            var declaration = ElementDeclaration(
                name: child.name, type: item)
            declaration.isNillable = true
            items.append(try value(of: child, declaration, at: "\(path)[\(items.count)]", depth: depth + 1))
        }
        return .array(items)
    }

    // MARK: Content

    /// Returns the members for the direct child elements and texts of an element.
    func content(
        of element: XMLElement, _ model: Particle, isMixed: Bool, at path: String, depth: Int
    ) throws(WSDLCompilerError) -> [JSONValue.Member] {
        if !isMixed, let text = element.directText.nonEmpty { try problem(.unexpectedText(text), at: path) }
        let children = element.children
        let elements = try values(of: children, model, at: path, depth: depth)
        guard isMixed, let text = element.directText.nonEmpty else { return members(elements, model) }
        guard !children.isEmpty else { return [JSONValue.Member("#text", .string(text))] }
        // The positions of the texts between elements matter.
        var parts: [JSONValue] = []
        var rest = elements.entries[...]
        for node in element.nodes {
            switch node {
            case .text(let text): parts.append(.string(text))
            case .element: if let entry = rest.popFirst() { parts.append(.object([entry.member])) }
            }
        }
        return [JSONValue.Member("#content", .array(parts))]
    }

    /// Returns the members of an object for decoded elements.
    func members(_ content: DecodedContent, _ model: Particle) -> [JSONValue.Member] {
        content.members(in: schema, model, isEncoded: targets != nil, isLenient: report != nil)
    }

    /// Converts elements in their order, and checks them against a content model.
    func values(
        of elements: [XMLElement], _ model: Particle, at path: String, depth: Int = 0
    ) throws(WSDLCompilerError) -> DecodedContent {
        let declared = DeclaredElements(model, in: schema)
        let names = elements.map(\.name)
        // The members of a SOAP-encoded struct are identified by their names alone (SOAP 1.1 section 5.4).
        let model = targets == nil ? model : model.inAnyOrder
        if report != nil {
            try reportProblems(names, model, declared, at: path)
        } else if let found = ContentMatcher.problem(of: names, in: model, schema) {
            try problem(found.error, at: path)
        }
        var content = DecodedContent()
        var counts = names.reduce(into: [XMLName: (all: Int, read: Int)]()) { $0[$1, default: (0, 0)].all += 1 }
        for element in elements {
            let entry = declared[exactly: element.name] ?? (report == nil ? nil : declared[element.name])
            let key = entry?.key ?? element.name.description
            let declaration = entry?.declaration ?? schema.reference(to: element.name)
            let position = counts[element.name]?.read ?? 0
            counts[element.name]?.read += 1
            let isOne = entry?.isRepeated != true && counts[element.name]?.all == 1
            let path = "\(path).\(key)" + (isOne ? "" : "[\(position)]")
            let value =
                if let declaration { try self.value(of: element, declaration, at: path, depth: depth + 1) } else {
                    try anyValue(of: element, at: path, depth: depth + 1)
                }
            content.entries.append(
                .init(name: element.name, key: key, isRepeated: entry?.isRepeated, value: value))
        }
        return content
    }

    /// Reports all problems of a sequence of elements.
    private func reportProblems(
        _ names: [XMLName], _ model: Particle, _ declared: DeclaredElements, at path: String
    ) throws(WSDLCompilerError) {
        var known: [XMLName] = []
        for name in names {
            if declared[exactly: name] != nil || model.hasWildcard(for: name.namespace) {
                known.append(name)
                continue
            }
            try problem(.unexpectedElement(name), at: path)
            if let other = declared[name] { known.append(other.declaration.name) }
        }
        if let found = ContentMatcher.problem(of: known, in: model, schema) { try problem(found.error, at: path) }
    }

    // MARK: Attributes and texts

    private func attributes(
        of element: XMLElement, _ type: ComplexType?, isNull: Bool = false, at path: String
    ) throws(WSDLCompilerError) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        let attributes = element.attributes
        for attribute in attributes {
            let use = type?.attributes.first { $0.name == attribute.name }
            if use == nil, isMessageAttribute(attribute.name) { continue }
            let path = "\(path).@\(attribute.name)"
            if use == nil, type?.hasAnyAttribute != true { try problem(.unexpectedAttribute(attribute.name), at: path) }
            let shape = use.flatMap { schema.simpleShape(of: $0.type) }
            let value = try scalar(attribute.value, shape, fixed: use?.fixedValue, at: element, path)
            members.append(JSONValue.Member("@\(attribute.name)", value))
        }
        guard let type, !isNull else { return members }
        for use in type.attributes where use.isRequired && !attributes.contains(where: { $0.name == use.name }) {
            try problem(.missingAttribute(use.name), at: path)
        }
        return members
    }

    /// Returns whether an attribute belongs to SOAP, its encoding or a signature, which no schema declares.
    private func isMessageAttribute(_ name: XMLName) -> Bool {
        if targets != nil, name.namespace.isEmpty, ["id", "href"].contains(name.local) { return true }
        return KnownNamespaces.isEncoding(name.namespace)
            || KnownNamespaces.messageAttributeNamespaces.contains(name.namespace)
    }

    /// Converts the text of an element without child elements.
    private func text(
        of element: XMLElement, _ shape: SimpleShape?, _ declaration: ElementDeclaration, at path: String
    ) throws(WSDLCompilerError) -> JSONValue {
        if let error = attachment(element) { throw .value(path: path, .invalid(error)) }
        if let child = element.children.first { try problem(.unexpectedElement(child.name), at: path) }
        var text = element.allText
        if text.isEmpty { text = declaration.fixedValue ?? declaration.defaultValue ?? text }
        return try scalar(text, shape, fixed: declaration.fixedValue, at: element, path)
    }

    /// Returns the error for a reference to an attachment (XOP 1.0 section 2.1) that is not in the message.
    private func attachment(_ element: XMLElement) -> XMLValueError? {
        guard let include = element.children.first(where: { $0.hasName("Include", in: XMLNamespace.include) }) else {
            return nil
        }
        guard let href = include.attribute("href", in: "") else { return .missingAttribute(XMLName("href")) }
        return XMLContentID.id(href).map { .missingAttachment($0) } ?? .attachmentReference(href)
    }

    private func declaresAttachment(_ model: Particle) -> Bool {
        switch model.term {
        case .element(let declaration): declaration.name == XMLName("Include", in: XMLNamespace.include)
        case .any: false
        case .sequence(let parts), .choice(let parts), .all(let parts): parts.contains(where: declaresAttachment)
        }
    }

    /// Converts an element without a declaration: to a string, or to an object with all attributes and elements.
    private func anyValue(
        of element: XMLElement, at path: String, depth: Int
    ) throws(WSDLCompilerError) -> JSONValue {
        guard depth < 200 else { throw .value(path: path, .wrongKind(expected: "a value that is nested less deep")) }
        if let error = attachment(element) { throw .value(path: path, .invalid(error)) }
        if element.isNull { return .null }
        var members: [JSONValue.Member] = []
        if let text = element[ElementTree.typeAttribute], let type = type(text, at: element),
            !isSame(type, .builtIn(.anyType))
        {
            let declaration = ElementDeclaration(
                name: element.name, type: type)
            let value = try value(of: element, declaration, at: path, depth: depth + 1)
            members.append(JSONValue.Member("@type", .string(name(of: type))))
            if case .object(let others) = value { return .object(members + others) }
            if schema.simpleShape(of: type) != nil { return .object(members + [JSONValue.Member("#text", value)]) }
            members.removeLast()
        }
        members += try attributes(of: element, .anything, at: path)
        guard !element.children.isEmpty else {
            let text = JSONValue.string(element.allText)
            return members.isEmpty ? text : .object(members + [JSONValue.Member("#text", text)])
        }
        members += try content(of: element, .anything, isMixed: true, at: path, depth: depth)
        return .object(members)
    }

    /// Converts a text to the JSON kind of its type.
    private func scalar(
        _ text: String, _ shape: SimpleShape?, fixed: String? = nil, at element: XMLElement, _ path: String
    ) throws(WSDLCompilerError) -> JSONValue {
        guard let shape else { return .string(text) }
        do throws(XMLValueError) {
            let scope = XMLScope(tree: tree, element: element, checksFacets: true)
            return json(try shape.checked(text, in: scope, fixed: fixed), shape, at: element)
        } catch {
            try problem(error, at: path)
            return .string(text)
        }
    }

    private func json(_ text: String, _ shape: SimpleShape, at element: XMLElement) -> JSONValue {
        switch shape {
        case .union: .string(text)
        case .list(let item, _): .array(text.split(separator: " ").map { json(String($0), item, at: element) })
        case .atomic(.boolean, _): .bool(text == "true" || text == "1")
        case .atomic(.qName, _): .string(QualifiedName.resolve(text, at: element)?.description ?? text)
        case .atomic(let type, _):
            type.isNumber ? JSONNumber.literal(text).map { .number($0) } ?? .string(text) : .string(text)
        }
    }

    // MARK: Types

    /// Returns the type of an element, and the name of that type if it differs from the declared type.
    private func type(
        of element: XMLElement, _ declaration: ElementDeclaration, at path: String
    ) throws(WSDLCompilerError) -> (type: TypeReference, name: String?) {
        guard let text = element[ElementTree.typeAttribute] else { return (declaration.type, nil) }
        guard let found = type(text, at: element) else {
            // SOAP encoding defines additional names such as Array.
            let name = QualifiedName.resolve(text, at: element)
            if !KnownNamespaces.isEncoding(name?.namespace ?? "") {
                try problem(.unknownType(name ?? XMLName(text)), at: path)
            }
            return (declaration.type, nil)
        }
        if isSame(found, declaration.type) { return (declaration.type, nil) }
        guard isDerived(found, from: declaration.type) else {
            try problem(.unknownType(QualifiedName.resolve(text, at: element)), at: path)
            return (declaration.type, nil)
        }
        return (found, name(of: found))
    }

    private func isDerived(_ type: TypeReference, from declared: TypeReference) -> Bool {
        if case .builtIn(.anyType) = declared { return true }
        // For simple types, the text itself is checked against both types.
        if !schema.isComplex(declared) { return schema.simpleShape(of: type) != nil }
        guard case .global(let base) = declared, case .global(let name) = type else { return false }
        return schema.derivations[base]?.contains(name) ?? false
    }

    private func type(_ text: String, at element: XMLElement) -> TypeReference? {
        guard let name = QualifiedName.resolve(text, at: element) else { return nil }
        if let builtIn = BuiltInType(name) { return .builtIn(builtIn) }
        return schema.types[name] == nil ? nil : .global(name)
    }

    private func isSame(_ left: TypeReference, _ right: TypeReference) -> Bool {
        switch (left, right) {
        case (.builtIn(let left), .builtIn(let right)): left == right
        case (.global(let left), .global(let right)): left == right
        // With SOAP encoding, every element names its type, or that type's built-in base.
        case (.builtIn, .global), (.builtIn, .anonymous), (.builtIn, .ofElement):
            schema.simpleShape(of: right) != nil
        default: false
        }
    }

    private func name(of type: TypeReference) -> String {
        switch type {
        case .builtIn(let type): XMLName(type.rawValue, in: KnownNamespaces.schema).description
        case .global(let name), .ofElement(let name):
            schema.types.keys.count { $0.local == name.local } == 1 ? name.local : name.description
        case .anonymous: ""
        }
    }
}

extension SchemaSet {
    fileprivate func isComplex(_ type: TypeReference) -> Bool {
        if case .complex? = definition(of: type) { true } else { false }
    }
}

extension ComplexType {
    /// The type of elements without a declaration.
    fileprivate static let anything: ComplexType = {
        var type = ComplexType()
        type.hasAnyAttribute = true
        return type
    }()
}

extension Particle {
    /// The same elements in any order, if the particle is one sequence.
    fileprivate var inAnyOrder: Particle {
        guard let parts = elementsInSequence else { return self }
        return Particle(minimum: minimum, maximum: maximum, term: .all(parts))
    }

    private var elementsInSequence: [Particle]? {
        guard case .sequence(let parts) = term else { return nil }
        var elements: [Particle] = []
        for part in parts {
            if case .element = part.term {
                elements.append(part)
            } else if part.isSingle, let inner = part.elementsInSequence {
                elements += inner
            } else {
                return nil
            }
        }
        return elements
    }

    /// Returns whether a wildcard allows elements of a namespace.
    func hasWildcard(for namespace: String) -> Bool {
        switch term {
        case .element: false
        case .any(let wildcard): wildcard.allows(namespace)
        case .sequence(let parts), .choice(let parts), .all(let parts):
            parts.contains { $0.hasWildcard(for: namespace) }
        }
    }
}

extension String {
    /// The text; `nil` if it is empty or only whitespace.
    fileprivate var nonEmpty: String? { utf8.allSatisfy(\.isXMLSpace) ? nil : self }
}
