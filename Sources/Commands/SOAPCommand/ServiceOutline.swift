// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import ErrorExplanations
import WSDLCompiler
import XMLDocuments

/// The text form of a service description.
struct ServiceOutline {
    private let description: ServiceDescription

    init(_ description: ServiceDescription) { self.description = description }

    /// The services, each with its ports and operations.
    var services: [String] {
        description.services.flatMap { service in
            [service.name.local.printable] + documentation(service.documentation, indentation: 2)
                + service.ports.flatMap(lines)
        }
    }

    private func lines(of port: Port) -> [String] {
        let version = port.version == .soap11 ? "SOAP 1.1" : "SOAP 1.2"
        return ["  \(port.name.printable), \(version), \((port.endpoint ?? "without an address").printable)"]
            + port.operations.flatMap(lines)
    }

    private func lines(of operation: Operation) -> [String] {
        let input = parts(of: operation.input.body).joined(separator: ", ")
        let output = operation.output.map { " -> (\(parts(of: $0.body).joined(separator: ", ")))" } ?? ""
        let headers = operation.input.headers.map { "      header \(line(of: $0))" }
        let faults = operation.faults.map { "      fault \($0.name.printable): \(typeText(for: $0.detail.type))" }
        return ["    \(operation.name.printable)(\(input))\(output)"]
            + documentation(operation.documentation, indentation: 6) + headers + faults
    }

    /// Returns the parts of a Body; for a single element its child elements, because callers supply those.
    private func parts(of body: Operation.Body) -> [String] {
        switch body {
        case .empty: []
        case .element(let element):
            if case .complex(let type)? = definition(of: element.type), case .elements(let particle) = type.content,
                case .sequence(let particles) = particle.term
            {
                particles.map(inline)
            } else {
                [line(of: element)]
            }
        case .parts(_, let elements): elements.map(line)
        }
    }

    private func inline(_ particle: Particle) -> String {
        let mark = particle.mark
        return switch particle.term {
        case .element(let element): line(of: element) + mark
        case .sequence(let parts), .all(let parts): "(" + parts.map(inline).joined(separator: ", ") + ")" + mark
        case .choice(let parts): "(" + parts.map(inline).joined(separator: " | ") + ")" + mark
        case .any: "any" + mark
        }
    }

    private func line(of element: ElementDeclaration) -> String {
        "\(element.name.local.printable): \(typeText(for: element.type))"
    }

    // MARK: Types

    /// The global types, each with its parts.
    var types: [String] {
        description.schema.typeOrder.flatMap { name -> [String] in
            guard let type = description.schema.types[name] else { return [] }
            let heading = "\(name.local.printable)  (\(name.namespace.printable))"
            switch type {
            case .simple(let simple):
                return ["", heading] + documentation(simple.documentation, indentation: 2) + [
                    "  \(typeText(for: simple))"
                ]
            case .complex(let complex):
                return ["", heading] + documentation(complex.documentation, indentation: 2) + lines(of: complex)
            }
        }
    }

    private func lines(of type: ComplexType) -> [String] {
        let base =
            type.base.map { ["  \($0.derivation == .extension ? "extends" : "restricts") \($0.name.local)"] } ?? []
        let attributes = type.attributes.map {
            "  @\($0.name.local.printable): \(typeText(for: $0.type))\($0.isRequired ? "" : "?")"
        }
        let content: [String] =
            switch type.content {
            case .empty: type.soapArrayItem.map { ["  \(typeText(for: $0))*"] } ?? []
            case .simple(let type): ["  text: \(typeText(for: type))"]
            case .elements(let particle): lines(of: particle, indentation: 2)
            }
        return base + attributes + content
    }

    private func lines(of particle: Particle, indentation: Int) -> [String] {
        let space = String(repeating: " ", count: indentation)
        switch particle.term {
        case .element(let element):
            return ["\(space)\(line(of: element))\(particle.mark)\(element.isNillable ? ", may be nil" : "")"]
        case .any: return ["\(space)any\(particle.mark)"]
        case .sequence(let parts) where particle.mark.isEmpty:
            return parts.flatMap { lines(of: $0, indentation: indentation) }
        case .sequence(let parts): return block("sequence", parts, particle, indentation)
        case .choice(let parts): return block("choice", parts, particle, indentation)
        case .all(let parts): return block("all", parts, particle, indentation)
        }
    }

    private func block(_ word: String, _ parts: [Particle], _ particle: Particle, _ indentation: Int) -> [String] {
        ["\(String(repeating: " ", count: indentation))\(word)\(particle.mark)"]
            + parts.flatMap { lines(of: $0, indentation: indentation + 2) }
    }

    private func typeText(for type: TypeReference) -> String {
        switch type {
        case .builtIn(let type): type.rawValue
        case .global(let name), .ofElement(let name): name.local.printable
        case .anonymous(.simple(let type)): typeText(for: type)
        case .anonymous(.complex(let type)):
            type.soapArrayItem.map { "\(typeText(for: $0))*" } ?? "{\(names(in: type).joined(separator: ", "))}"
        }
    }

    private func typeText(for type: SimpleType) -> String {
        switch type.variety {
        case .restriction(let base, let facets) where facets.enumeration.isEmpty: typeText(for: base)
        case .restriction(_, let facets): facets.enumeration.map { "\"\($0.text.printable)\"" }.joined(separator: " | ")
        case .list(let item, _): "list of \(typeText(for: item))"
        case .union(let members, _): members.map(typeText).joined(separator: " or ")
        }
    }

    private func names(in type: ComplexType) -> [String] {
        let attributes = type.attributes.map { "@\($0.name.local.printable)" }
        guard case .elements(let particle) = type.content else { return attributes }
        return attributes + [inline(particle)]
    }

    private func definition(of type: TypeReference) -> TypeDefinition? {
        switch type {
        case .builtIn: nil
        case .global(let name): description.schema.types[name]
        case .ofElement(let name): description.schema.elements[name].flatMap { definition(of: $0.type) }
        case .anonymous(let type): type
        }
    }

    private func documentation(_ text: String?, indentation: Int) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        let space = String(repeating: " ", count: indentation)
        return text.split(whereSeparator: \.isNewline).map { "\(space)\(String($0).printable)" }
    }
}

extension Particle {
    /// The occurrence mark: `?` for optional, `*` for repeated.
    fileprivate var mark: String { maximum != 1 ? "*" : minimum == 0 ? "?" : "" }
}
