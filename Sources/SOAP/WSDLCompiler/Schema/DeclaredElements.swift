// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// The elements that a content model names, with the members of substitution groups.
package struct DeclaredElements: Sendable {
    package struct Entry: Sendable {
        package var declaration: ElementDeclaration
        /// Whether it can occur more than once, in itself or because a group around it can.
        package var isRepeated: Bool
        /// The name of the member in JSON: the local name, with the namespace where two elements differ in it only.
        package var key: String
    }

    /// In the order of the model.
    package private(set) var entries: [Entry] = []
    private var places: [XMLName: Int] = [:]
    private var localNames: [String: XMLName] = [:]

    package init(_ particle: Particle?, in schema: SchemaSet) {
        if let particle { add(particle, isRepeated: false, schema) }
    }

    package init(_ declarations: [ElementDeclaration], in schema: SchemaSet) {
        for declaration in declarations { add(declaration, isRepeated: false, schema) }
    }

    /// The entry of an element; one of the same local name where none has its namespace, as lenient services need.
    package subscript(name: XMLName) -> Entry? {
        if let place = places[name] { return entries[place] }
        guard let other = localNames[name.local], name.namespace.isEmpty || other.namespace.isEmpty,
            let place = places[other]
        else { return nil }
        return entries[place]
    }

    /// The entry of a member of an object, whose name is the local name or the name with its namespace.
    package subscript(member name: String) -> Entry? {
        if let other = localNames[name], let place = places[other] { return entries[place] }
        return name.hasPrefix("{") ? places[XMLName(clark: name)].map { entries[$0] } : nil
    }

    /// The entry of exactly this name.
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
            // It occurs at two places of the model, so that there can be several.
            entries[place].isRepeated = true
            return
        }
        let key = localNames[name.local] == nil ? name.local : name.clark
        if localNames[name.local] == nil { localNames[name.local] = name }
        places[name] = entries.count
        entries.append(Entry(declaration: declaration, isRepeated: isRepeated, key: key))
    }
}
