// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// A resolved QName, and its prefix if that is undeclared.
struct QualifiedName {
    var name: XMLName
    /// The prefix, if it is undeclared.
    var undeclaredPrefix: String?

    /// Resolves a QName attribute value.
    ///
    /// - Parameters:
    ///   - text: The value.
    ///   - node: The element whose namespaces are in scope.
    ///   - chameleon: The namespace of a name without a prefix if there is no default namespace.
    init(_ text: String, at node: DocumentNode, chameleon: String = "") {
        let text = text.trimmingSpaces
        guard let colon = text.firstIndex(of: ":") else {
            let inScope = node.element.namespace(ofPrefix: "") ?? ""
            name = XMLName(text, in: inScope.isEmpty ? chameleon : Self.currentNamespace(inScope))
            return
        }
        let prefix = String(text[..<colon])
        let local = String(text[text.index(after: colon)...])
        if let namespace = node.element.namespace(ofPrefix: prefix) {
            name = XMLName(local, in: Self.currentNamespace(namespace))
        } else {
            name = XMLName(local, in: KnownNamespaces.conventional[prefix] ?? "")
            undeclaredPrefix = prefix
        }
    }

    /// Resolves a QName in an element's scope; `nil` if its prefix is undeclared.
    static func resolve(_ text: String, at element: XMLElement) -> XMLName? {
        let text = text.trimmingSpaces
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return XMLName(text, in: element.namespace(ofPrefix: "") ?? "") }
        return element.namespace(ofPrefix: parts[0]).map { XMLName(parts[1], in: $0) }
    }

    private static func currentNamespace(_ namespace: String) -> String {
        KnownNamespaces.draftSchemas.contains(namespace) ? KnownNamespaces.schema : namespace
    }
}

/// Finds the name that is most similar to another one.
enum NearestName {
    static func of(_ name: XMLName, in names: some Sequence<XMLName>) -> XMLName? {
        let wanted = Array(name.local.lowercased().utf8)
        var best: (distance: Int, name: XMLName)?
        for candidate in names.prefix(5_000) {
            let other = Array(candidate.local.lowercased().utf8)
            guard abs(other.count - wanted.count) <= 3 else { continue }
            // The same local name in another namespace has the smallest distance.
            let distance = 2 * self.distance(wanted, other) + (candidate.namespace == name.namespace ? 0 : 1)
            let smallest = best.map { ($0.distance, $0.name.description) } ?? (2 * max(3, wanted.count / 3), "")
            if (distance, candidate.description) < smallest { best = (distance, candidate) }
        }
        return best?.name
    }

    /// Returns the Levenshtein distance.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard left.count <= 200, right.count <= 200 else { return 200 }
        var row = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let cost = min(row[column] + 1, row[column + 1] + 1, diagonal + (byte == other ? 0 : 1))
                diagonal = row[column + 1]
                row[column + 1] = cost
            }
        }
        return row[right.count]
    }
}
