// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

/// Derives Swift names from namespaces, for files, constants and prefixes of ambiguous types.
enum NamespaceName {
    /// Returns a name for each namespace, unique even if case is ignored, as some file systems do.
    ///
    /// `http://www.onvif.org/ver10/media/wsdl` is `OnvifMedia`, unless another namespace has that name.
    static func names(of namespaces: [String]) -> [String: String] {
        var shortCounts: [String: Int] = [:]
        for namespace in namespaces {
            shortCounts[name(namespace, includesAllParts: false).lowercased(), default: 0] += 1
        }
        var scope = NameScope()
        var result: [String: String] = [:]
        for namespace in namespaces {
            let short = name(namespace, includesAllParts: false)
            let chosen = shortCounts[short.lowercased()] == 1 ? short : name(namespace, includesAllParts: true)
            var candidate = chosen
            var number = 2
            while scope.contains(candidate.lowercased()) {
                candidate = "\(chosen)\(chosen.last?.isNumber == true ? "No" : "")\(number)"
                number += 1
            }
            scope.reserve(candidate.lowercased())
            result[namespace] = candidate
        }
        return result
    }

    /// Returns the name from the significant parts of the URI, or from all its parts, such as versions.
    private static func name(_ namespace: String, includesAllParts: Bool) -> String {
        let parts = parts(of: namespace)
        guard !parts.isEmpty else { return namespace.isEmpty ? "NoNamespace" : SwiftName.type(namespace) }
        var significant = includesAllParts ? parts : parts.filter(isSignificant)
        if significant.isEmpty { significant = Array(parts.suffix(1)) }
        if !includesAllParts, significant.count > 3 { significant = significant.prefix(1) + significant.suffix(2) }
        var result = ""
        for part in significant {
            let number = part.filter(\.isIdentifierPart)
            let word = !result.isEmpty && number.first?.isNumber == true ? number : SwiftName.type(part)
            // A part that repeats the previous one is skipped.
            if includesAllParts || !result.hasSuffix(word) { result += word }
        }
        return result
    }

    /// Returns the host, without its domain, and the path components; for a URN, its parts without `urn`.
    private static func parts(of namespace: String) -> [Substring] {
        let separators: Set<Character> = ["/", ":", "#", "?", "&", "=", ";"]
        guard let scheme = namespace.range(of: "://") else {
            return namespace.split(whereSeparator: separators.contains).filter { $0.lowercased() != "urn" }
                .flatMap { $0.split(separator: ".") }
                .filter { $0.contains(where: \.isIdentifierPart) && !domains.contains($0.lowercased()) }
        }
        let rest = namespace[scheme.upperBound...].split(whereSeparator: separators.contains)
        guard let host = rest.first else { return [] }
        var labels = host.split(separator: ".")
        if labels.count > 1, !labels.allSatisfy({ $0.allSatisfy(\.isNumber) }) { labels.removeLast() }
        if labels.count > 1, let last = labels.last, domains.contains(last.lowercased()) {
            labels.removeLast()
        }
        let name = labels.suffix(1)
        return (Array(name) + rest.dropFirst()).filter { $0.contains(where: \.isIdentifierPart) }
    }

    private static let domains: Set<String> = ["ac", "co", "com", "gov", "net", "org"]

    private static let general: Set<String> = [
        "api", "asmx", "doc", "docs", "http", "https", "index", "messages", "namespace", "namespaces", "ns", "rest",
        "schema",
        "schemas", "service", "services", "soap", "types", "webservice", "webservices", "wsdl", "ws", "www", "xml",
        "xmlns", "xsd",
    ]

    /// Returns whether a part is significant: neither a version, a date nor a word common to many namespaces.
    private static func isSignificant(_ part: Substring) -> Bool {
        let lower = part.lowercased()
        guard !general.contains(lower) else { return false }
        let bare =
            lower.hasPrefix("version")
            ? lower.dropFirst(7)
            : lower.hasPrefix("ver") ? lower.dropFirst(3) : lower.hasPrefix("v") ? lower.dropFirst() : lower[...]
        return !bare.allSatisfy { $0.isNumber || $0 == "." || $0 == "-" || $0 == "_" }
    }
}

extension String {
    /// Returns the range of the first occurrence of a text.
    fileprivate func range(of text: String) -> Range<Index>? {
        guard let first = text.first else { return nil }
        var start = startIndex
        while let index = self[start...].firstIndex(of: first) {
            if self[index...].hasPrefix(text) { return index..<self.index(index, offsetBy: text.count) }
            start = self.index(after: index)
        }
        return nil
    }
}

/// The constants for namespaces in a generated file.
enum NamespaceConstant {
    /// Returns the name of the constant for a namespace.
    static func name(of namespaceName: String) -> String { SwiftName.member(namespaceName) + "Namespace" }
}

/// Collects the namespaces of the names in a description, in the order of their first use.
struct NamespaceCollector {
    private(set) var namespaces: [String] = []
    private var seen: Set<String> = []

    /// Collects all namespaces of a description.
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
