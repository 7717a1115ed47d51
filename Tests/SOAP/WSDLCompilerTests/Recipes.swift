// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import WSDLCompiler
import XMLDocuments

/// Documents for tests, and short texts of models.
enum Recipe {
    static let namespace = "urn:a"

    /// Returns a schema with the namespace `urn:a` and the prefix `a`.
    static func schema(_ content: String, attributes: String = "elementFormDefault=\"qualified\"") -> String {
        """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:a="urn:a" targetNamespace="urn:a" \(attributes)>
        \(content)
        </xs:schema>
        """
    }

    /// Returns a description with the operation `Get` of the binding `B`, the input `a:In` and the output `a:Out`.
    static func description(
        types: String, messages: String? = nil, portType: String? = nil, binding: String? = nil, service: String? = nil
    ) -> String {
        """
        <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
            xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/"
            xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:a="urn:a"
            xmlns:w="urn:w" xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/" targetNamespace="urn:w">
        <types>\(types)</types>
        \(messages ?? "<message name='In'><part name='p' element='a:In'/></message>"
            + "<message name='Out'><part name='p' element='a:Out'/></message>")
        \(portType ?? "<portType name='P'><operation name='Get'><input message='w:In'/><output message='w:Out'/></operation></portType>")
        \(binding ?? """
            <binding name='B' type='w:P'><soap:binding transport='http://schemas.xmlsoap.org/soap/http'/>
            <operation name='Get'><soap:operation soapAction='urn:get'/><input><soap:body use='literal'/></input>
            <output><soap:body use='literal'/></output></operation></binding>
            """)
        \(service ?? "<service name='S'><port name='T' binding='w:B'><soap:address location='https://example.com/s'/></port></service>")
        </definitions>
        """
    }

    static let inAndOut = schema("<xs:element name='In' type='xs:string'/><xs:element name='Out' type='xs:string'/>")

    /// Reads the document `main`, with other documents that it can import.
    static func read(
        _ main: String, _ others: [String: String] = [:], options: DescriptionOptions = DescriptionOptions()
    ) async throws(WSDLCompilerError) -> ServiceDescription {
        let documents = others.merging(["main": main]) { first, _ in first }
        return try await ServiceDescription.read("main", from: ClosureSource.memory(documents), options: options)
    }
}

extension Recipe {
    /// Returns the error of reading a document.
    static func failure(_ main: String, options: DescriptionOptions = DescriptionOptions()) async -> WSDLCompilerError?
    {
        await failure("main", from: ClosureSource.memory(["main": main]), options: options)
    }

    static func failure(
        _ identifier: String, from source: ClosureSource, options: DescriptionOptions = DescriptionOptions()
    ) async -> WSDLCompilerError? {
        do {
            _ = try await ServiceDescription.read(identifier, from: source, options: options)
            return nil
        } catch {
            return error
        }
    }
}

/// The model as short text: `a` once, `a?`, `a*`, `a+`, `(…)` a sequence, `(…|…)` a choice, `(…&…)` all, `~` any.
enum Outline {
    static func of(_ type: TypeDefinition?) -> String {
        switch type {
        case .complex(let type)?:
            let attributes = type.attributes.map { "@\($0.name)\($0.isRequired ? "!" : "")=\(of($0.type))" }
            let any = type.hasAnyAttribute ? ["@*"] : []
            let item = type.soapArrayItem.map { ["[\(of($0))]"] } ?? []
            return
                ((type.isMixed ? ["mixed"] : []) + attributes + any + item + [of(type.content)].filter { !$0.isEmpty })
                .joined(separator: " ")
        case .simple(let type)?:
            switch type.variety {
            case .restriction(let base, let facets): return "\(of(base))\(of(facets))"
            case .list(let item, _): return "list \(of(item))"
            case .union(let members, _): return members.map(of).joined(separator: "|")
            }
        case nil: return "nothing"
        }
    }

    private static func of(_ content: ComplexType.Content) -> String {
        switch content {
        case .empty: ""
        case .simple(let type): "#\(of(type))"
        case .elements(let particle): of(particle)
        }
    }

    static func of(_ particle: Particle) -> String {
        let occurrence =
            switch (particle.minimum, particle.maximum) {
            case (1, 1): ""
            case (0, 1): "?"
            case (0, nil): "*"
            case (1, nil): "+"
            case (let minimum, let maximum): "{\(minimum),\(maximum.map(String.init) ?? "")}"
            }
        let term =
            switch particle.term {
            case .element(let element): (element.name.namespace.isEmpty ? "." : "") + element.name.local
            case .sequence(let inner): "(\(inner.map(of).joined(separator: ",")))"
            case .choice(let inner): "(\(inner.map(of).joined(separator: "|")))"
            case .all(let inner): "(\(inner.map(of).joined(separator: "&")))"
            case .any: "~"
            }
        return term + occurrence
    }

    static func of(_ reference: TypeReference) -> String {
        switch reference {
        case .builtIn(let type): type.rawValue
        case .global(let name): name.local
        case .ofElement(let name): "<\(name.local)>"
        case .anonymous(let type): "{\(of(type))}"
        }
    }

    private static func of(_ facets: Facets) -> String {
        var parts = facets.enumeration.map(\.text) + facets.patterns.map { "/\($0)/" }
        if let length = facets.length { parts.append("length \(length)") }
        if let minimum = facets.minimumLength { parts.append("min \(minimum)") }
        if let maximum = facets.maximumLength { parts.append("max \(maximum)") }
        if let minimum = facets.minimumInclusive { parts.append(">=\(minimum)") }
        if let maximum = facets.maximumExclusive { parts.append("<\(maximum)") }
        return parts.isEmpty ? "" : "[\(parts.joined(separator: " "))]"
    }
}
