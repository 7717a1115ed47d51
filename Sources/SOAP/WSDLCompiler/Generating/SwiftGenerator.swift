// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// Generates Swift from a description: one file for each namespace, with its types and services.
package struct SwiftGenerator: Sendable {
    package let options: GenerationOptions

    package init(_ options: GenerationOptions = GenerationOptions()) { self.options = options }

    /// Returns the Swift type name that is derived from a name.
    package static func typeName(_ name: String) -> String {
        let swiftName = SwiftName.type(name)
        return ReservedNames.types.contains(swiftName) ? swiftName + "Type" : swiftName
    }

    /// Generates the files for a description; the same description gives the same bytes.
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

/// A message and the Swift type that is generated for its Body.
package struct GeneratedMessage: Sendable {
    /// The port's binding, in which `index` is the operation's position.
    package let binding: XMLName
    package let index: Int
    package let operation: Operation
    package let isResponse: Bool
    /// The Swift type.
    package let type: String
    /// The element in the Body; `nil` if the type's elements are direct children of the Body.
    package let element: XMLName?
    package let isEncoded: Bool
}

extension SwiftGenerator {
    /// Returns the types of all non-empty requests and responses, for programs that use the generated code.
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

/// A generated Swift file.
package struct GeneratedFile: Equatable, Sendable {
    /// The file name without a folder, such as `Bank.swift`.
    package let name: String
    package let text: String

    /// The beginning of each file, which marks it as generated.
    package static let mark = "// Made by countersign"
}

/// The options of the generator.
package struct GenerationOptions: Sendable {
    /// The access level of the generated declarations.
    package enum Access: String, CaseIterable, Sendable {
        /// Access from the same module only.
        case `internal`
        case `package`
        /// Access from all modules.
        case `public`
    }

    package var access = Access.public
    /// Whether services are generated in addition to types; types alone need no client.
    package var includesServices = true
    /// The modules that each file imports, in addition to the runtime.
    package var imports: [String] = []
    /// The name of an enum that encloses all declarations, for modules with several services; `nil` for none.
    package var enclosure: String?
    /// The name of a single file for all declarations; `nil` for one file for each namespace.
    package var singleFile: String?

    package init() {}
}
