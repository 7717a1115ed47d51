// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NibArchive

/// The output of `show --json`.
struct NibReport: Encodable {
    struct Binding: Encodable {
        let source: String?
        let name: String
        let destination: String?
        let keyPath: String
    }

    struct Attribute: Encodable {
        let object: String?
        let keyPath: String
        let value: String?
    }

    struct Node: Encodable {
        let object: Int
        let archivedClass: String
        let `class`: String
        let title: String?
        /// The x and y coordinates (y from the bottom, or in UIKit from the top), width and height, in points.
        let frame: [Double]?
        let children: [Node]
    }

    let encoding: String
    let formatVersion: UInt32?
    let coderVersion: UInt32?
    let objects: Int
    let keys: Int
    let values: Int
    let classes: Int
    let valueTypes: [String: Int]
    let classCounts: [String: Int]
    let outlets: [[String?]]
    let outletCollections: [[String?]]
    let actions: [[String?]]
    let bindings: [Binding]
    let attributes: [Attribute]
    let placeholders: [String]
    let tree: [Node]

    enum CodingKeys: String, CodingKey {
        case encoding, objects, keys, values, classes, outlets, actions, bindings, attributes, placeholders, tree
        case formatVersion = "format_version"
        case coderVersion = "coder_version"
        case valueTypes = "value_types"
        case classCounts = "class_counts"
        case outletCollections = "outlet_collections"
    }
}

extension NibReport {
    init(_ nib: Nib) {
        switch nib.encoding {
        case .nibArchive(let format, let coder): (encoding, formatVersion, coderVersion) = ("NIBArchive", format, coder)
        case .binaryPropertyList:
            (encoding, formatVersion, coderVersion) = ("NSKeyedArchiver binary property list", nil, nil)
        case .xmlPropertyList: (encoding, formatVersion, coderVersion) = ("NSKeyedArchiver XML property list", nil, nil)
        case .designableXML: (encoding, formatVersion, coderVersion) = ("XML archive", nil, nil)
        }
        (objects, keys, values, classes) = (nib.objects.count, nib.keys.count, nib.values.count, nib.classes.count)
        valueTypes = Dictionary(nib.values.map { (String($0.value.type), 1) }, uniquingKeysWith: +)
        classCounts = Dictionary(nib.references.map { (nib.className(of: $0), 1) }, uniquingKeysWith: +)
        let connections = nib.connections
        func ends(_ isIncluded: (NibConnection.Kind) -> Bool) -> [[String?]] {
            connections.filter { isIncluded($0.kind) }.map { connection in
                let destinations = connection.destinations.map(nib.className)
                return [connection.source.map(nib.className), connection.label]
                    + (destinations.isEmpty ? [nil] : destinations)
            }
        }
        outlets = ends { $0 == .outlet }
        outletCollections = ends { $0 == .outletCollection }
        actions = ends { if case .action = $0 { true } else { false } }
        bindings = connections.compactMap { connection in
            guard case .binding(let name, let keyPath) = connection.kind else { return nil }
            return Binding(
                source: connection.source.map(nib.className), name: name,
                destination: connection.destination.map(nib.className), keyPath: keyPath)
        }
        attributes = connections.filter { $0.kind == .runtimeAttribute }.map { connection in
            Attribute(
                object: connection.source.map(nib.className), keyPath: connection.label,
                value: connection.destination.map { nib.text(of: $0) ?? nib.valueText(of: $0) })
        }
        placeholders = nib.references.filter { nib.placeholder(for: $0) != nil }.map(nib.label)
        let hierarchy = nib.hierarchy
        func node(_ object: NibReference) -> Node {
            Node(
                object: object.index, archivedClass: nib.className(of: object), class: nib.runtimeClassName(of: object),
                title: nib.title(of: object),
                frame: nib.frame(of: object).map { [$0.origin.x, $0.origin.y, $0.size.width, $0.size.height] },
                children: hierarchy.children(of: object).map(node))
        }
        tree = hierarchy.topLevel.map(node)
    }
}
