// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
internal import XMLDocuments
internal import XMLValues

/// Converts JSON values to elements.
struct ValueEncoder {
    let schema: SchemaSet
    /// Whether every element has an `xsi:type` attribute (SOAP 1.1 section 5).
    let isEncoded: Bool

    /// Converts a value to an element of a declaration.
    func element(
        _ declaration: ElementDeclaration, _ value: JSONValue, at path: String
    ) throws(WSDLCompilerError) -> ElementTree {
        var tree = ElementTree(declaration.name)
        if value == .null {
            guard declaration.isNillable || isEncoded else { throw .value(path: path, .null) }
            tree.set(ElementTree.nilAttribute, .text("true"))
            return tree
        }
        var type = declaration.type
        if case .string(let name)? = value["@type"], declaresNoType(declaration.type) {
            type = try self.type(name, from: type, at: path)
            if let name = type.xmlName { tree.set(ElementTree.typeAttribute, .name(name)) }
        } else if isEncoded, let name = type.xmlName {
            tree.set(ElementTree.typeAttribute, .name(name))
        }
        try fill(&tree, type, value, declaration, at: path)
        return tree
    }

    private func fill(
        _ tree: inout ElementTree, _ type: TypeReference, _ value: JSONValue, _ declaration: ElementDeclaration,
        at path: String
    ) throws(WSDLCompilerError) {
        switch schema.definition(of: type) {
        case .complex(let complex)?:
            guard !complex.isAbstract else {
                throw .value(path: path, .abstract(type: complex.name?.local ?? declaration.name.local))
            }
            try fill(&tree, complex, value, declaration, at: path)
        case nil where isAny(type): try fillAny(&tree, value, at: path)
        default:
            if case .object(let members) = value { try refuse(members, but: ["@type", "#text"], at: path) }
            try setText(of: &tree, value, schema.simpleShape(of: type), at: path, fixed: declaration.fixedValue)
        }
    }

    /// Sets the text of an element; an empty text adds no content.
    private func setText(
        of tree: inout ElementTree, _ value: JSONValue, _ shape: SimpleShape?, at path: String, fixed: String? = nil
    ) throws(WSDLCompilerError) {
        let text = try ScalarEncoder.value(value["#text"] ?? value, shape, at: path, fixed: fixed)
        if text != .text("") { tree.content = [.value(text)] }
    }

    private func isAny(_ type: TypeReference) -> Bool { if case .builtIn(.anyType) = type { true } else { false } }

    // MARK: Complex types

    private func fill(
        _ tree: inout ElementTree, _ type: ComplexType, _ value: JSONValue, _ declaration: ElementDeclaration,
        at path: String
    ) throws(WSDLCompilerError) {
        if let item = type.soapArrayItem { return try fillArray(&tree, item, value, at: path) }
        let members: [JSONValue.Member] = if case .object(let members) = value { members } else { [] }
        var isSimple = false
        if case .simple = type.content { isSimple = true }
        guard isSimple || value.isObject else {
            // In mixed content, a text alone can be a string.
            guard type.isMixed, case .string = value else {
                throw .value(path: path, .wrongKind(expected: "an object"))
            }
            tree.content = [.value(try ScalarEncoder.value(value, nil, at: path))]
            return
        }
        try addAttributes(of: type, members, to: &tree, at: path)
        let isNull = value["#text"] == .null && declaration.isNillable
        if isSimple || isNull { try refuse(members.filter { !$0.name.hasPrefix("@") }, but: ["#text"], at: path) }
        if isNull { return tree.set(ElementTree.nilAttribute, .text("true")) }
        if case .simple(let content) = type.content {
            if value.isObject, value["#text"] == nil { throw .value(path: path, .missing(name: "#text")) }
            let shape = schema.simpleShape(of: content)
            return try setText(of: &tree, value, shape, at: path, fixed: declaration.fixedValue)
        }
        var particles: [Particle] = []
        if case .elements(let particle) = type.content { particles = [particle] }
        tree.content = try content(of: members, particles, isMixed: type.isMixed, at: path)
    }

    /// Returns the elements of a content model for an object's members, and the texts of mixed content.
    func content(
        of members: [JSONValue.Member], _ particles: [Particle], isMixed: Bool, at path: String
    ) throws(WSDLCompilerError) -> [ElementTree.Node] {
        if !isMixed { try refuseText(of: members, at: path) }
        let model = Particle(term: .sequence(particles))
        let parts = try Arrangement.parts(of: members, in: model, schema, isEncoded: isEncoded, at: path)
        var content: [ElementTree.Node] = []
        if let text = members.first(where: { $0.name == "#text" })?.value, text != .null {
            content.append(.value(try ScalarEncoder.value(text, nil, at: "\(path).#text")))
        }
        for part in parts {
            switch part {
            case .text(let text, let path):
                guard isMixed else { throw .value(path: path, .wrongKind(expected: "an object")) }
                content.append(.value(try ScalarEncoder.value(text, nil, at: path)))
            case .element(let item):
                guard let declaration = item.declaration else {
                    content.append(.element(try other(item.name, item.value, at: item.path)))
                    continue
                }
                content.append(.element(try element(declaration, item.value, at: item.path)))
            }
        }
        return content
    }

    private func refuseText(of members: [JSONValue.Member], at path: String) throws(WSDLCompilerError) {
        guard let text = members.first(where: { $0.name == "#text" }), text.value != .null else { return }
        throw .value(path: path, .unknown(name: "#text", nearest: nil))
    }

    private func fillArray(
        _ tree: inout ElementTree, _ item: TypeReference, _ value: JSONValue, at path: String
    ) throws(WSDLCompilerError) {
        guard case .array(let values) = value else { throw .value(path: path, .wrongKind(expected: "an array")) }
        var declaration = ElementDeclaration(
            name: XMLName("item"), type: item)
        declaration.isNillable = true
        for (index, value) in values.enumerated() {
            tree.content.append(.element(try element(declaration, value, at: "\(path)[\(index)]")))
        }
        let name = item.xmlName ?? XMLName("anyType", in: KnownNamespaces.schema)
        tree.set(ElementTree.arrayTypeAttribute, .arrayType(name, count: values.count))
    }

    // MARK: Attributes

    private func addAttributes(
        of type: ComplexType, _ members: [JSONValue.Member], to tree: inout ElementTree, at path: String
    ) throws(WSDLCompilerError) {
        var known: Set = ["#text", "@type"]
        for attribute in type.attributes {
            let key = "@\(attribute.name)"
            known.insert(key)
            let given = members.first { $0.name == key && $0.value != .null }?.value
            guard let given = given ?? (attribute.isRequired ? attribute.fixedValue.map(JSONValue.string) : nil) else {
                guard attribute.isRequired else { continue }
                throw .value(path: path, .missing(name: key))
            }
            let shape = schema.simpleShape(of: attribute.type)
            tree.set(
                attribute.name,
                try ScalarEncoder.value(given, shape, at: "\(path).\(key)", fixed: attribute.fixedValue))
        }
        for member in members where member.name.hasPrefix("@") && !known.contains(member.name) {
            guard type.hasAnyAttribute else {
                let nearest = NearestName.of(
                    XMLName(String(member.name.dropFirst())), in: type.attributes.map(\.name))
                throw .value(path: path, .unknown(name: member.name, nearest: nearest.map { "@\($0)" }))
            }
            let name = XMLName(clark: String(member.name.dropFirst()))
            try check(name, at: "\(path).\(member.name)")
            tree.set(name, try ScalarEncoder.value(member.value, nil, at: "\(path).\(member.name)"))
        }
    }

    func refuse(
        _ members: [JSONValue.Member], but allowed: [String], at path: String
    ) throws(WSDLCompilerError) {
        for member in members where !allowed.contains(member.name) {
            throw .value(path: path, .unknown(name: member.name, nearest: allowed.last))
        }
    }

    // MARK: Elements without a declaration

    /// Fills an element of type `xs:anyType` with the content that the members describe.
    func fillAny(_ tree: inout ElementTree, _ value: JSONValue, at path: String) throws(WSDLCompilerError) {
        guard case .object(let members) = value else {
            if value == .null {
                tree.set(ElementTree.nilAttribute, .text("true"))
            } else {
                try setText(of: &tree, value, nil, at: path)
            }
            return
        }
        // The caller has already read @type as xsi:type.
        for member in members where member.name.hasPrefix("@") && member.name != "@type" {
            let path = "\(path).\(member.name)"
            let name = XMLName(clark: String(member.name.dropFirst()))
            try check(name, at: path)
            tree.set(name, try ScalarEncoder.value(member.value, nil, at: path))
        }
        tree.content += try content(of: members, [.anything], isMixed: true, at: path)
    }

    /// Returns an element by its name, using the global declaration if there is one.
    private func other(_ name: XMLName, _ value: JSONValue, at path: String) throws(WSDLCompilerError) -> ElementTree {
        try check(name, at: path)
        if let global = schema.reference(to: name) { return try element(global, value, at: path) }
        let any = ElementDeclaration(
            name: name, type: .builtIn(.anyType))
        var declaration = any
        declaration.isNillable = true
        return try element(declaration, value, at: path)
    }

    /// Checks the name of an undeclared element or attribute, since it becomes markup.
    private func check(_ name: XMLName, at path: String) throws(WSDLCompilerError) {
        // An attribute named xmlns would declare a namespace.
        let isWritten = name.local.isXMLName && name.namespace.firstCharacterOutsideXML == nil
        guard isWritten, name.local != "xmlns", name.namespace != KnownNamespaces.declarations else {
            let text = name.namespace.isEmpty ? name.local : name.description
            throw .value(path: path, .invalidName(name: text))
        }
    }

    // MARK: Types

    /// Returns whether the type declares no attribute named `type`, which the member `@type` would represent.
    private func declaresNoType(_ reference: TypeReference) -> Bool {
        guard case .complex(let type)? = schema.definition(of: reference) else { return true }
        return !type.attributes.contains { $0.name == XMLName("type") }
    }

    /// Returns the type that `@type` names, by its local name or as `{namespace}local`.
    ///
    /// If several types have the local name, only the declared type and its derived types are considered.
    private func type(
        _ text: String, from declared: TypeReference, at path: String
    ) throws(WSDLCompilerError) -> TypeReference {
        let name = XMLName(clark: text)
        if let builtIn = BuiltInType(name), name.namespace == KnownNamespaces.schema { return .builtIn(builtIn) }
        if schema.types[name] != nil, !name.namespace.isEmpty { return .global(name) }
        var candidates = schema.typeOrder.filter { $0.local == text }
        if candidates.count > 1, case .global(let base) = declared {
            let derived = Set((schema.derivations[base] ?? []) + [base])
            candidates = candidates.filter(derived.contains)
        }
        guard candidates.count == 1, let only = candidates.first else {
            throw .value(path: path, .unknownType(name: text))
        }
        return .global(only)
    }
}

extension JSONValue {
    fileprivate var isObject: Bool { if case .object = self { true } else { false } }
}

extension Particle {
    /// A particle that allows any elements.
    static let anything = Particle(
        minimum: 0, maximum: nil, term: .any(Wildcard(namespaces: .any, processing: .lax)))
}

extension XMLName {
    /// The name as `{namespace}local` (Clark notation); the braces are empty for no namespace.
    var clark: String { "{\(namespace)}\(local)" }

    /// Parses a name written as `{namespace}local` or `local`.
    init(clark text: String) {
        guard text.hasPrefix("{"), let end = text.firstIndex(of: "}") else {
            self.init(text)
            return
        }
        self.init(
            String(text[text.index(after: end)...]), in: String(text[text.index(after: text.startIndex)..<end]))
    }
}
