// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Plans the Swift declarations for the types, elements and operations of a description.
struct Planner {
    let description: ServiceDescription
    /// The UpperCamelCase name of each namespace.
    let namespaceNames: [String: String]
    var names: GlobalNames
    /// The names of all global declarations and library types, which nested types must not have.
    var globalNames: Set<String>
    let constantNames: Set<String>

    var declarations: [Declaration] = []
    /// The scopes of the names that are nested in a declaration, by the declaration's number.
    var nestedScopes: [Int: NameScope] = [:]
    var typeNumbers: [XMLName: Int] = [:]
    var elementNumbers: [XMLName: Int] = [:]
    var derivationNumbers: [XMLName: Int] = [:]
    var substitutionNumbers: [XMLName: Int] = [:]
    /// The structs for messages with parts, by a key of the message's name and form.
    var messageNumbers: [String: Int] = [:]
    /// The declarations that are not nested, in order, each with the namespace whose file declares it.
    var topLevel: [(number: Int, namespace: String)] = []

    var schema: SchemaSet { description.schema }

    /// Whether a message has `xsi:type` attributes on its values.
    private let namesTypes: Bool

    /// Creates a planner.
    ///
    /// - Parameters:
    ///   - description: The description for which Swift is generated.
    ///   - enclosure: The name of the enum that encloses all declarations.
    init(_ description: ServiceDescription, enclosure: String? = nil) {
        self.description = description
        namesTypes = description.services.contains { service in
            service.ports.contains { port in
                port.operations.contains { $0.input.isEncoded || $0.output?.isEncoded == true }
            }
        }
        let namespaceNames = NamespaceName.names(of: NamespaceCollector(description).namespaces)
        self.namespaceNames = namespaceNames
        names = GlobalNames(description.schema, namespaces: namespaceNames, enclosure: enclosure)
        globalNames = names.scope.names.union(ReservedNames.types)
        constantNames = Set(namespaceNames.values.map { NamespaceConstant.name(of: $0) })
    }

    /// Returns the name for `xsi:type` on a value; `nil` if the Swift type provides it.
    func declaredType(_ type: TypeReference) -> XMLName? {
        guard namesTypes else { return nil }
        switch type {
        case .builtIn(let type):
            let isAmbiguous = [.library("Int"), .string].contains(SwiftType(type))
            guard isAmbiguous, ![.integer, .string, .anySimpleType].contains(type) else { return nil }
            return XMLName(type.rawValue, in: KnownNamespaces.schema)
        case .global(let name):
            switch schema.types[name] {
            case .simple: return name
            case .complex(let type): return type.soapArrayItem == nil ? nil : name
            case nil: return nil
            }
        case .anonymous, .ofElement: return nil
        }
    }

    /// Plans everything.
    mutating func plan() -> GenerationPlan {
        for name in schema.typeOrder {
            typeNumbers[name] = declareGlobal(
                names.types[name] ?? "", in: name, xmlType: name, "The type `\(name.local)`.")
        }
        for name in schema.elementOrder + schema.hoistedOrder {
            guard let swiftName = names.elements[name] else { continue }
            elementNumbers[name] = declareGlobal(swiftName, in: name, xmlType: nil, "The element `\(name.local)`.")
        }
        for name in schema.typeOrder {
            guard let number = typeNumbers[name], let definition = schema.types[name] else { continue }
            define(number, definition)
        }
        for name in schema.elementOrder + schema.hoistedOrder {
            guard let number = elementNumbers[name], let element = schema.elements[name],
                case .anonymous(let definition) = element.type
            else { continue }
            define(number, definition)
            if let text = element.documentation { declarations[number].documentation.text = text }
        }
        let services = planServices()
        CycleFinder.markCycles(&declarations)
        return GenerationPlan(
            declarations: declarations, topLevel: topLevel, services: services, namespaceNames: namespaceNames)
    }

    /// Adds a top-level declaration, whose kind is set later.
    mutating func declareGlobal(_ swiftName: String, in name: XMLName, xmlType: XMLName?, _ summary: String) -> Int {
        declarations.append(
            Declaration(
                name: swiftName, parent: nil, documentation: Documentation(summary), xmlType: xmlType,
                kind: .structure(Structure(role: .element))))
        topLevel.append((declarations.count - 1, name.namespace))
        return declarations.count - 1
    }

    /// Adds a nested declaration, whose kind is set later.
    mutating func declareNested(_ wanted: String, or others: String? = nil, in parent: Int, _ summary: String) -> Int {
        if declarations[parent].isAlias { return declare(wanted, beside: parent, summary) }
        var scope = nestedScopes[parent] ?? scope(of: parent)
        let name = scope.claim(wanted, or: others ?? wanted + "Element")
        nestedScopes[parent] = scope
        declarations.append(
            Declaration(
                name: name, parent: parent, documentation: Documentation(summary), xmlType: nil,
                kind: .structure(Structure(role: .element))))
        declarations[parent].nested.append(declarations.count - 1)
        return declarations.count - 1
    }

    /// Adds a declaration for a part of an alias, next to the alias.
    private mutating func declare(_ wanted: String, beside alias: Int, _ summary: String) -> Int {
        let name = declarations[alias].name + wanted
        if let parent = declarations[alias].parent { return declareNested(name, in: parent, summary) }
        let namespace = topLevel.first { $0.number == alias }?.namespace ?? description.targetNamespace
        let claimed = names.claim(name, or: name + "Type")
        globalNames.insert(claimed)
        return declareGlobal(claimed, in: XMLName(name, in: namespace), xmlType: nil, summary)
    }

    /// Returns the initial scope of a declaration, in which the names of enclosing declarations are reserved.
    private func scope(of parent: Int) -> NameScope {
        var scope = NameScope(reserved: globalNames)
        var next: Int? = parent
        while let number = next {
            scope.reserve(declarations[number].name)
            next = declarations[number].parent
        }
        return scope
    }

    /// Returns a scope for the properties or cases of a declaration.
    func memberScope(reserved: Set<String>) -> NameScope { NameScope(reserved: reserved, constantNames) }
}
