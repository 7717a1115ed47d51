// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
