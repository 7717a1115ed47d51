// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Makes Swift from descriptions: a file for the types of each namespace and for each service's.
package struct SwiftGenerator: Sendable {
    package let options: GenerationOptions

    package init(_ options: GenerationOptions = GenerationOptions()) { self.options = options }

    /// Makes the files for a description; the same description gives the same bytes.
    package func files(for description: ServiceDescription) -> [GeneratedFile] {
        var planner = Planner(description)
        let plan = planner.plan()
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
        return namespaces.map { namespace in
            let (services, declarations) = content[namespace] ?? ([], [])
            var printer = SwiftPrinter(plan: plan, options: options)
            let text = printer.file(document: document, services: services, declarations: declarations)
            let name = options.singleFile ?? (plan.namespaceNames[namespace] ?? "NoNamespace") + ".swift"
            return GeneratedFile(name: name, text: text)
        }
    }
}
