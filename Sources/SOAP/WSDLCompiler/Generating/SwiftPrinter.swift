// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Writes one file of what a plan has.
struct SwiftPrinter {
    let plan: GenerationPlan
    let options: GenerationOptions
    var source = SourceWriter()
    /// The namespaces that the file names, in the order of their use.
    private var namespaces: [String] = []
    private var constants: [String: String] = [:]

    init(plan: GenerationPlan, options: GenerationOptions) { (self.plan, self.options) = (plan, options) }

    /// The access level and a space.
    var access: String { options.access == .internal ? "" : options.access.rawValue + " " }

    /// Writes a file.
    mutating func file(document: String, services: [Int], declarations: [Int], isFirst: Bool) -> String {
        if let enclosure = options.enclosure {
            if isFirst { source.comment(["The service of \(document) and its types."]) }
            source.open(isFirst ? "\(access)enum \(enclosure) {" : "extension \(enclosure) {")
        }
        for index in services { service(plan.services[index]) }
        for number in declarations { declaration(number) }
        if options.enclosure != nil { source.close() }
        var head = SourceWriter()
        head.line(
            "\(GeneratedFile.mark) from \(document.filter { !$0.isNewline }). Changes are lost when it is made again.")
        var modules = Set(options.imports)
        if !services.isEmpty {
            modules.insert("SOAPClient")
        } else if declarations.contains(where: { plan.needsRuntime($0) }) {
            modules.insert("XMLValues")
        }
        if !modules.isEmpty { head.blank() }
        for module in modules.sorted() { head.line("\(access)import \(module)") }
        if !namespaces.isEmpty { head.blank() }
        for namespace in namespaces {
            head.statement("private let \(constants[namespace] ?? "") = ", .literal(namespace))
        }
        return head.text + (services.isEmpty && declarations.isEmpty ? "" : "\n") + source.text
    }

    mutating func declaration(_ number: Int) {
        let declaration = plan.declarations[number]
        source.blank()
        source.comment(declaration.documentation.paragraphs)
        switch declaration.kind {
        case .structure(let structure): self.structure(structure, number, declaration)
        case .choice(let cases): choice(cases, number, declaration)
        case .derivations(let cases): derivations(cases, declaration)
        case .enumeration(let cases, let whiteSpace): enumeration(cases, whiteSpace, number, declaration)
        case .restriction(let restriction): self.restriction(restriction, number, declaration)
        case .union(let cases): union(cases, number, declaration)
        case .alias(let type): alias(type, number, declaration)
        }
    }

    /// Declarations in another one.
    mutating func nested(_ numbers: [Int]) { for number in numbers { declaration(number) } }

    /// The constant for a namespace.
    mutating func constant(_ namespace: String) -> String {
        if let constant = constants[namespace] { return constant }
        let name = NamespaceConstant.name(of: plan.namespaceNames[namespace] ?? "Other")
        constants[namespace] = name
        namespaces.append(namespace)
        return name
    }

    /// The arguments that name an element or an attribute.
    mutating func arguments(_ name: XMLName) -> [SourceExpression] {
        let local = SourceExpression.literal(name.local)
        return name.namespace.isEmpty ? [local] : [local, .labelled("in", .text(constant(name.namespace)))]
    }

    /// An expression for a name.
    mutating func expression(_ name: XMLName) -> SourceExpression { .call("XMLName", arguments(name)) }

    /// The property that has a type's name in its schema.
    mutating func xmlType(_ name: XMLName?) {
        guard let name else { return }
        source.blank()
        source.comment(["The name of the type in its schema."])
        source.block("\(access)static var xmlType: XMLName?", expression(name))
    }
}
