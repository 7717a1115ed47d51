// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Turns elements into values of JSON.
struct ValueDecoder {
    private let schema: SchemaSet
    /// `nil` for literal messages, in which `href` is an attribute like others.
    private let targets: ReferenceTargets?

    init(schema: SchemaSet, body: XMLElement, isEncoded: Bool) {
        self.schema = schema
        targets = isEncoded ? ReferenceTargets(in: body) : nil
    }

    /// The value of an element that has a declaration.
    func value(
        of element: XMLElement, _ declaration: ElementDeclaration, at path: String, depth: Int = 0
    ) throws(WSDLCompilerError) -> JSONValue {
        guard depth < 200 else { throw .value(path: path, .wrongKind(expected: "a value that is nested less deep")) }
        let found = try targets?.follow(element, at: path) { target throws(WSDLCompilerError) in
            try value(of: target, declaration, at: path, depth: depth + 1)
        }
        if let found { return found }
        var (type, typeName) = (declaration.type, String?.none)
        if let text = element[ElementTree.typeAttribute], let found = self.type(text, at: element) {
            if !isSame(found, declaration.type) { (type, typeName) = (found, name(of: found)) }
        }
        var members = typeName.map { [JSONValue.Member("@type", .string($0))] } ?? []
        if let isNil = element[ElementTree.nilAttribute], ["true", "1"].contains(isNil) {
            let attributes = self.attributes(of: element, declared: [])
            return attributes.isEmpty ? .null : .object(attributes + [JSONValue.Member("#text", .null)])
        }
        switch schema.definition(of: type) {
        case .complex(let type)?:
            return try value(of: element, type, members, at: path, depth: depth)
        case .simple?: break
        case nil:
            if case .builtIn(.anyType) = type { return try anyValue(of: element, at: path, depth: depth) }
        }
        let text = scalar(element.allText, schema.simpleShape(of: type), at: element)
        guard typeName != nil else { return text }
        members.append(JSONValue.Member("#text", text))
        return .object(members)
    }

    private func value(
        of element: XMLElement, _ type: ComplexType, _ members: [JSONValue.Member], at path: String, depth: Int
    ) throws(WSDLCompilerError) -> JSONValue {
        if let item = type.soapArrayItem { return try array(element, item, at: path, depth: depth) }
        var members = members + attributes(of: element, declared: type.attributes)
        switch type.content {
        case .empty: break
        case .simple(let content):
            let text = scalar(element.allText, schema.simpleShape(of: content), at: element)
            if members.isEmpty { return text }
            members.append(JSONValue.Member("#text", text))
        case .elements(let particle):
            let declared = DeclaredElements(particle, in: schema)
            members += try self.members(of: element.children, declared, at: path, depth: depth)
        }
        if type.isMixed, let text = ownText(of: element) { members.append(JSONValue.Member("#text", .string(text))) }
        return .object(members)
    }

    /// The members for elements in the order in which each name first occurs.
    func members(
        of elements: [XMLElement], _ declared: DeclaredElements, at path: String, depth: Int = 0
    ) throws(WSDLCompilerError) -> [JSONValue.Member] {
        var values: [(key: String, isRepeated: Bool, values: [JSONValue])] = []
        var places: [String: Int] = [:]
        for element in elements {
            let entry = declared[element.name]
            let key = entry?.key ?? element.name.description
            let value: JSONValue
            if let entry {
                value = try self.value(of: element, entry.declaration, at: "\(path).\(key)", depth: depth + 1)
            } else if let global = schema.reference(to: element.name) {
                value = try self.value(of: element, global, at: "\(path).\(key)", depth: depth + 1)
            } else {
                value = try anyValue(of: element, at: "\(path).\(key)", depth: depth + 1)
            }
            if let place = places[key] {
                values[place].values.append(value)
            } else {
                places[key] = values.count
                values.append((key, entry?.isRepeated ?? false, [value]))
            }
        }
        return values.map { key, isRepeated, values in
            JSONValue.Member(key, isRepeated || values.count > 1 ? .array(values) : values[0])
        }
    }

    private func array(
        _ element: XMLElement, _ item: TypeReference, at path: String, depth: Int
    ) throws(WSDLCompilerError) -> JSONValue {
        var items: [JSONValue] = []
        for child in element.children {
            let declaration = ElementDeclaration(
                name: child.name, type: item, location: SourceLocation(document: "Body", line: child.line))
            items.append(try value(of: child, declaration, at: "\(path)[\(items.count)]", depth: depth + 1))
        }
        return .array(items)
    }

    // MARK: Attributes and texts

    private func attributes(of element: XMLElement, declared: [AttributeUse]) -> [JSONValue.Member] {
        element.attributes.compactMap { attribute in
            let namespace = attribute.name.namespace
            if namespace == KnownNamespaces.schemaInstance || KnownNamespaces.isEncoding(namespace) { return nil }
            let use = declared.first { $0.name == attribute.name }
            if use == nil, ["id", "href"].contains(attribute.name.local), targets != nil { return nil }
            let shape = use.flatMap { schema.simpleShape(of: $0.type) }
            return JSONValue.Member("@\(attribute.name)", scalar(attribute.value, shape, at: element))
        }
    }

    /// An element without a declaration: text, or an object with all that it has.
    private func anyValue(
        of element: XMLElement, at path: String, depth: Int
    ) throws(WSDLCompilerError) -> JSONValue {
        guard depth < 200 else { throw .value(path: path, .wrongKind(expected: "a value that is nested less deep")) }
        if let isNil = element[ElementTree.nilAttribute], ["true", "1"].contains(isNil) { return .null }
        let children = element.children
        var members: [JSONValue.Member] = []
        if let text = element[ElementTree.typeAttribute], let type = type(text, at: element),
            !isSame(type, .builtIn(.anyType))
        {
            members.append(JSONValue.Member("@type", .string(name(of: type))))
            if children.isEmpty, let shape = schema.simpleShape(of: type) {
                return .object(members + [JSONValue.Member("#text", scalar(element.allText, shape, at: element))])
            }
            let declaration = ElementDeclaration(
                name: element.name, type: type, location: SourceLocation(document: "Body", line: element.line))
            if case .complex? = schema.definition(of: type),
                case .object(let others) = try value(of: element, declaration, at: path, depth: depth + 1)
            {
                return .object(members + others)
            }
        }
        members += attributes(of: element, declared: [])
        let declared = DeclaredElements(nil, in: schema)
        members += try self.members(of: children, declared, at: path, depth: depth)
        guard children.isEmpty else { return .object(members) }
        let text = JSONValue.string(element.allText)
        return members.isEmpty ? text : .object(members + [JSONValue.Member("#text", text)])
    }

    private func ownText(of element: XMLElement) -> String? {
        let text = element.children.isEmpty ? element.allText : element.directText
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    /// A text as the kind of JSON that its type has.
    private func scalar(_ text: String, _ shape: SimpleShape?, at element: XMLElement) -> JSONValue {
        switch shape {
        case nil, .union?: return .string(text)
        case .list(let item, _)?:
            return .array(text.split(whereSeparator: \.isWhitespace).map { scalar(String($0), item, at: element) })
        case .atomic(let type, _)?:
            switch type {
            case .boolean:
                switch text.trimmingSpaces {
                case "true", "1": return .bool(true)
                case "false", "0": return .bool(false)
                default: return .string(text)
                }
            case .qName:
                let name = QualifiedName.resolve(text, at: element)
                return .string(name?.description ?? text)
            default:
                guard type.isNumber else { return .string(text) }
                return JSONNumber.literal(text.trimmingSpaces).map { .number($0) } ?? .string(text)
            }
        }
    }

    // MARK: Types

    private func type(_ text: String, at element: XMLElement) -> TypeReference? {
        guard let name = QualifiedName.resolve(text, at: element) else { return nil }
        if let builtIn = BuiltInType(name) { return .builtIn(builtIn) }
        return schema.types[name] == nil ? nil : .global(name)
    }

    private func isSame(_ left: TypeReference, _ right: TypeReference) -> Bool {
        switch (left, right) {
        case (.builtIn(let left), .builtIn(let right)): left == right
        case (.global(let left), .global(let right)): left == right
        // In SOAP's encoding every element names its type, or the built-in one below it.
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
