// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// The elements that a content model declares, including the members of substitution groups.
package struct DeclaredElements: Sendable {
    package struct Entry: Sendable {
        package var declaration: ElementDeclaration
        /// Whether the element can occur more than once, because of its own occurrence or that of an enclosing group.
        package var isRepeated: Bool
        /// The name of the JSON member: the local name, or the qualified name if two elements differ only
        /// in their namespaces.
        package var key: String
    }

    /// The elements, in the order of the model.
    package private(set) var entries: [Entry] = []
    private var places: [XMLName: Int] = [:]
    private var localNames: [String: XMLName] = [:]

    package init(_ particle: Particle?, in schema: SchemaSet) {
        if let particle { add(particle, isRepeated: false, schema) }
    }

    package init(_ declarations: [ElementDeclaration], in schema: SchemaSet) {
        for declaration in declarations { add(declaration, isRepeated: false, schema) }
    }

    /// Returns the entry of an element; if only one of the two names has a namespace, equal local names suffice,
    /// because some services confuse qualified and unqualified names.
    package subscript(name: XMLName) -> Entry? {
        if let place = places[name] { return entries[place] }
        guard let other = localNames[name.local], name.namespace.isEmpty || other.namespace.isEmpty,
            let place = places[other]
        else { return nil }
        return entries[place]
    }

    /// Returns the entry for a JSON member, by its local or qualified name.
    package subscript(member name: String) -> Entry? {
        if let other = localNames[name], let place = places[other] { return entries[place] }
        return name.hasPrefix("{") ? places[XMLName(clark: name)].map { entries[$0] } : nil
    }

    /// Returns the entry with exactly this name.
    package subscript(exactly name: XMLName) -> Entry? { places[name].map { entries[$0] } }

    private mutating func add(_ particle: Particle, isRepeated: Bool, _ schema: SchemaSet) {
        let isRepeated = isRepeated || (particle.maximum.map { $0 > 1 } ?? true)
        switch particle.term {
        case .element(let declaration):
            add(declaration, isRepeated: isRepeated, schema)
        case .sequence(let inner), .choice(let inner), .all(let inner):
            for particle in inner { add(particle, isRepeated: isRepeated, schema) }
        case .any: break
        }
    }

    private mutating func add(_ declaration: ElementDeclaration, isRepeated: Bool, _ schema: SchemaSet) {
        addOne(declaration, isRepeated: isRepeated)
        guard declaration.isReference else { return }
        for member in schema.substitutions[declaration.name] ?? [] {
            if let member = schema.reference(to: member) { addOne(member, isRepeated: isRepeated) }
        }
    }

    private mutating func addOne(_ declaration: ElementDeclaration, isRepeated: Bool) {
        let name = declaration.name
        if let place = places[name] {
            // The element occurs at two places in the model, so it can be repeated.
            entries[place].isRepeated = true
            return
        }
        let key = localNames[name.local] == nil ? name.local : name.clark
        if localNames[name.local] == nil { localNames[name.local] = name }
        places[name] = entries.count
        entries.append(Entry(declaration: declaration, isRepeated: isRepeated, key: key))
    }
}
