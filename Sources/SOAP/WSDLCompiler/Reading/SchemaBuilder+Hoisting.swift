// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

extension SchemaBuilder {
    /// A local element whose anonymous type is made on its own.
    struct Hoisted {
        /// Stands for a global element's name.
        var name: XMLName
        var node: DocumentNode
        var maker: TypeMaker
    }

    /// The place of a local element, in a schema of a target namespace.
    struct HoistedPlace: Hashable {
        var element: XMLElement
        var targetNamespace: String
    }

    /// The anonymous type of a local element.
    ///
    /// A group, or a type that is extended, may hold itself where an element stands between (XML Schema Part 1 section 3.8.6). The
    /// element's type is then made once, as if the element were global, and referred to.
    func anonymousType(of node: DocumentNode, by maker: TypeMaker) throws(WSDLCompilerError) -> TypeReference? {
        let place = HoistedPlace(element: node.element, targetNamespace: maker.schema.targetNamespace)
        if let name = hoistedNames[place] { return .ofElement(name) }
        let outer = path.count
        let known = warnings.count
        do {
            return try maker.anonymousType(of: node)
        } catch .circular(let location, let kind, let name) {
            guard path.prefix(outer).contains(where: { $0.kind == kind && $0.name == name }), let around = path.last
            else {
                throw .circular(location, kind, name)
            }
            // The warnings come again when the type is made.
            forgetWarnings(after: known)
            let hoisted = hoistedName(try node.requiredName(), in: around.name)
            hoistedNames[place] = hoisted
            hoistedTypes.append(Hoisted(name: hoisted, node: node, maker: maker))
            return .ofElement(hoisted)
        }
    }

    private func hoistedName(_ local: String, in component: XMLName) -> XMLName {
        let name = XMLName("\(component.local) \(local)", in: component.namespace)
        guard takenHoistedNames.insert(name).inserted else {
            return XMLName("\(name.local) \(hoistedNames.count + 1)", in: name.namespace)
        }
        return name
    }
}
