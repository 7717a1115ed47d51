// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// The global components of all schemas of a description (XML Schema Part 1 section 2.2), in the order in which they were read.
package struct SchemaSet: Sendable {
    /// The global types, by name.
    package var types: [XMLName: TypeDefinition] = [:]
    /// The global elements, by name.
    package var elements: [XMLName: ElementDeclaration] = [:]
    /// The names of ``types``, in the order of the documents.
    package var typeOrder: [XMLName] = []
    /// The names of ``elements``, in the order of the documents.
    package var elementOrder: [XMLName] = []
    /// The names in ``elements`` of local elements whose anonymous types hold themselves; no name of XML has a space as these do.
    package var hoistedOrder: [XMLName] = []
    /// The members of each substitution group by its head, in document order; without the head, members of members included.
    package var substitutions: [XMLName: [XMLName]] = [:]
    /// The types that are derived from each complex type, directly or not, in document order.
    package var derivations: [XMLName: [XMLName]] = [:]

    package init() {}
}

extension SchemaSet {
    /// A global element as a reference to it is, without its anonymous type.
    package func reference(to name: XMLName) -> ElementDeclaration? {
        guard var element = elements[name] else { return nil }
        if case .anonymous = element.type { element.type = .ofElement(name) }
        element.isReference = true
        return element
    }
}
