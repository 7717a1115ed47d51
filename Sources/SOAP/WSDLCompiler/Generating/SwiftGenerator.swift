// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// Makes Swift from descriptions: a file for the types of each namespace and for each service's.
package struct SwiftGenerator: Sendable {
    package let options: GenerationOptions

    package init(_ options: GenerationOptions = GenerationOptions()) { self.options = options }

    /// The name of a Swift type for a name of any form.
    package static func typeName(_ name: String) -> String {
        let swiftName = SwiftName.type(name)
        return ReservedNames.types.contains(swiftName) ? swiftName + "Type" : swiftName
    }

    /// Makes the files for a description; the same description gives the same bytes.
    package func files(for description: ServiceDescription) -> [GeneratedFile] {
        var planner = Planner(description, enclosure: options.enclosure)
        var plan = planner.plan()
        if !options.includesServices { plan.services = [] }
        var namespaces: [String] = []
        var content: [String: (services: [Int], declarations: [Int])] = [:]
        func add(_ namespace: String, service: Int? = nil, declaration: Int? = nil) {
            let key = options.singleFile == nil ? namespace : ""
            if content[key] == nil { namespaces.append(key) }
            if let service { content[key, default: ([], [])].services.append(service) }
            if let declaration { content[key, default: ([], [])].declarations.append(declaration) }
        }
        for (index, service) in plan.services.enumerated() { add(service.namespace, service: index) }
        for (number, namespace) in plan.topLevel { add(namespace, declaration: number) }
        if namespaces.isEmpty { add(description.targetNamespace, service: nil) }
        let document = description.document.split(separator: "/").last.map(String.init) ?? description.document
        return namespaces.enumerated().map { index, namespace in
            let (services, declarations) = content[namespace] ?? ([], [])
            var printer = SwiftPrinter(plan: plan, options: options)
            let text = printer.file(
                document: document, services: services, declarations: declarations, isFirst: index == 0)
            let name = options.singleFile ?? (plan.namespaceNames[namespace] ?? "NoNamespace") + ".swift"
            return GeneratedFile(name: name, text: text)
        }
    }
}

/// The type that is made for what a Body holds.
package struct GeneratedMessage: Sendable {
    /// The port's binding, the operation's place in it and the operation.
    package let binding: XMLName
    package let index: Int
    package let operation: Operation
    package let isResponse: Bool
    /// The Swift type.
    package let type: String
    /// The element in the Body; `nil` where the type's elements stand right in the Body.
    package let element: XMLName?
    package let isEncoded: Bool
}

extension SwiftGenerator {
    /// The types of all requests and responses that are not empty, for programs that use what is made.
    package func messages(of description: ServiceDescription) -> [GeneratedMessage] {
        var planner = Planner(description, enclosure: options.enclosure)
        let plan = planner.plan()
        var messages: [GeneratedMessage] = []
        for service in plan.services {
            for port in service.ports {
                for (index, operation) in service.operations.enumerated() {
                    for (body, isResponse) in [(operation.input, false), (operation.output, true)] {
                        guard let body, let type = body.type else { continue }
                        messages.append(
                            GeneratedMessage(
                                binding: port.binding, index: index, operation: operation.operation,
                                isResponse: isResponse, type: plan.name(of: type), element: body.element,
                                isEncoded: body.isEncoded))
                    }
                }
            }
        }
        return messages
    }
}

/// A file of Swift.
package struct GeneratedFile: Equatable, Sendable {
    /// Without a folder, such as `Bank.swift`.
    package let name: String
    package let text: String

    /// How each file begins, by which it is known.
    package static let mark = "// Made by countersign"
}

/// How Swift is made from a description.
package struct GenerationOptions: Sendable {
    /// Who may use what is made.
    package enum Access: String, CaseIterable, Sendable {
        /// Only the module that it is compiled in.
        case `internal`
        case `package`
        /// All modules.
        case `public`
    }

    package var access = Access.public
    /// Whether services are made, and not only types, which need no client.
    package var includesServices = true
    /// Modules that each file imports beside the runtime.
    package var imports: [String] = []
    /// The name of an enum that all is put into, for modules with several services; `nil` for none.
    package var enclosure: String?
    /// The name of the one file that all goes into; `nil` for a file a namespace.
    package var singleFile: String?

    package init() {}
}
