// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// All that is made of a description, before it is text.
struct GenerationPlan {
    var declarations: [Declaration]
    /// The declarations that are not nested, each with the namespace whose file it goes to.
    var topLevel: [(number: Int, namespace: String)]
    var services: [ServicePlan]
    /// The name of each namespace, in UpperCamel case.
    var namespaceNames: [String: String]

    /// The type as it is written in a declaration, or outside of all.
    func name(of type: SwiftType, in scope: Int? = nil) -> String {
        switch type {
        case .library(let name): name
        case .list(let item): "XMLList<\(name(of: item, in: scope))>"
        case .soapArray(let item): "XMLSOAPArray<\(name(of: item, in: scope))>"
        case .declared(let number): name(of: number, in: scope)
        }
    }

    /// The type that an alias stands for; another type as it is.
    func resolved(_ type: SwiftType) -> SwiftType {
        var type = type
        // An alias of itself is refused when the schema is read.
        while case .declared(let number) = type, case .alias(let other) = declarations[number].kind { type = other }
        return type
    }

    /// Whether a declaration names anything of the runtime.
    func needsRuntime(_ number: Int) -> Bool {
        guard case .alias(let type) = declarations[number].kind else { return true }
        return switch type {
        case .library(let name): name == "Decimal" || name.hasPrefix("XML")
        case .list, .soapArray: true
        case .declared: false
        }
    }

    private func name(of number: Int, in scope: Int?) -> String {
        let declaration = declarations[number]
        guard let parent = declaration.parent, parent != scope else { return declaration.name }
        return name(of: parent, in: scope) + "." + declaration.name
    }
}
