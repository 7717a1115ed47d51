// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Collects the namespaces that names of a description are in, in the order in which they are met.
struct NamespaceCollector {
    private(set) var namespaces: [String] = []
    private var seen: Set<String> = []

    /// Collects those of a whole description.
    init(_ description: ServiceDescription) {
        add(description.targetNamespace)
        for service in description.services {
            add(service.name.namespace)
            for port in service.ports {
                for operation in port.operations {
                    add(operation.input)
                    if let output = operation.output { add(output) }
                    for fault in operation.faults { add(fault.detail) }
                }
            }
        }
        let schema = description.schema
        for name in schema.typeOrder {
            add(name.namespace)
            if let definition = schema.types[name] { add(definition) }
        }
        for name in schema.elementOrder + schema.hoistedOrder {
            if let element = schema.elements[name] { add(element) }
        }
    }

    private mutating func add(_ namespace: String) {
        if seen.insert(namespace).inserted { namespaces.append(namespace) }
    }

    private mutating func add(_ message: Operation.Message) {
        add(message.name.namespace)
        for header in message.headers { add(header) }
        switch message.body {
        case .empty: break
        case .element(let element): add(element)
        case .parts(let wrapper, let parts):
            if let wrapper { add(wrapper.namespace) }
            for part in parts { add(part) }
        }
    }

    private mutating func add(_ element: ElementDeclaration) {
        add(element.name.namespace)
        if case .anonymous(let definition) = element.type { add(definition) }
    }

    private mutating func add(_ definition: TypeDefinition) {
        guard case .complex(let type) = definition else { return }
        for attribute in type.attributes { add(attribute.name.namespace) }
        if case .elements(let particle) = type.content { add(particle) }
    }

    private mutating func add(_ particle: Particle) {
        switch particle.term {
        case .element(let element): add(element)
        case .sequence(let parts), .choice(let parts), .all(let parts): for part in parts { add(part) }
        case .any(let wildcard):
            if case .other(let namespace) = wildcard.namespaces { add(namespace) }
            if case .only(let namespaces) = wildcard.namespaces { for namespace in namespaces { add(namespace) } }
        }
    }
}
