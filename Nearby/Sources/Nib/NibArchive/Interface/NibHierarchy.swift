// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The object tree of a nib, as shown in Interface Builder.
public struct NibHierarchy: Sendable {
    /// The objects without a parent, in file order and without placeholders.
    public fileprivate(set) var topLevel: [NibReference] = []
    /// All objects that are created from the nib, in file order.
    public fileprivate(set) var objects: [NibReference] = []
    private var children: [NibReference: [NibReference]] = [:]
    /// The maximum depth; a deeper object becomes a top-level object, so that the tree can be walked recursively.
    fileprivate static let maximumDepth = 200

    /// Returns the children of an object, in file order; empty if it has none.
    public func children(of object: NibReference) -> [NibReference] { children[object] ?? [] }

    fileprivate mutating func add(_ child: NibReference, to parent: NibReference?) {
        if let parent { children[parent, default: []].append(child) } else { topLevel.append(child) }
    }
}

extension Nib {
    /// The object tree of the nib.
    public var hierarchy: NibHierarchy {
        if let objectData { return hierarchy(objectData) }
        guard let root = references.first else { return NibHierarchy() }
        return isUIKit && value("UINibObjectsKey", of: root) != nil ? hierarchyOfViews(root) : hierarchyOfRecords
    }

    /// Returns the tree of an AppKit nib, which specifies the parent of each object.
    private func hierarchy(_ objectData: NibReference) -> NibHierarchy {
        var hierarchy = NibHierarchy()
        var parents: [NibReference: NibReference] = [:]
        var seen: Set<NibReference> = []
        for (child, parent) in zip(
            elements("NSObjectsKeys", of: objectData), elements("NSObjectsValues", of: objectData))
        where placeholder(for: child) == nil && seen.insert(child).inserted {
            hierarchy.objects.append(child)
            parents[child] = placeholder(for: parent) == nil ? parent : nil
        }
        for child in hierarchy.objects { hierarchy.add(child, to: parent(of: child, in: parents)) }
        return hierarchy
    }

    /// Returns the parent of an object; `nil` if its ancestors form a cycle or are too many.
    private func parent(of object: NibReference, in parents: [NibReference: NibReference]) -> NibReference? {
        var current = object
        for _ in 0..<NibHierarchy.maximumDepth {
            guard let parent = parents[current] else { return parents[object] }
            current = parent
        }
        return nil
    }

    /// Returns the tree of a UIKit nib: the children of an object are its subviews, then other objects that only it
    /// refers to.
    private func hierarchyOfViews(_ root: NibReference) -> NibHierarchy {
        var hierarchy = NibHierarchy()
        hierarchy.objects = elements("UINibObjectsKey", of: root).filter { placeholder(for: $0) == nil }
        var rest = Set(hierarchy.objects)
        var queue: [(object: NibReference, level: Int)] = []
        func take(_ object: NibReference, _ parent: NibReference?, _ level: Int) {
            guard level < NibHierarchy.maximumDepth, rest.remove(object) != nil else { return }
            hierarchy.add(object, to: parent)
            queue.append((object, level))
        }
        for object in elements("UINibTopLevelObjectsKey", of: root) { take(object, nil, 0) }
        for partsOf in [{ self.elements("UISubviews", of: $0) }, parts] {
            var index = 0
            while index < queue.count {
                let (object, level) = queue[index]
                for part in partsOf(object) { take(part, object, level + 1) }
                index += 1
            }
        }
        for object in hierarchy.objects where rest.contains(object) { hierarchy.add(object, to: nil) }
        return hierarchy
    }

    /// Returns the objects that an object refers to, directly or through an array.
    private func parts(of object: NibReference) -> [NibReference] {
        entries(of: object).flatMap { _, value -> [NibReference] in
            guard case .object(let part) = value else { return [] }
            return [part] + elements(of: part)
        }
    }

    /// The tree in the XML format of Interface Builder up to version 3, which has a record for each object.
    private var hierarchyOfRecords: NibHierarchy {
        var hierarchy = NibHierarchy()
        var parents: [NibReference: NibReference] = [:]
        for record in references where className(of: record) == "IBObjectRecord" {
            guard let object = object("object", of: record), placeholder(for: object) == nil else { continue }
            if parents[object] == nil { hierarchy.objects.append(object) }
            if let parent = self.object("parent", of: record) { parents[object] = parent }
        }
        let listed = Set(hierarchy.objects)
        for object in hierarchy.objects {
            hierarchy.add(object, to: parent(of: object, in: parents).flatMap { listed.contains($0) ? $0 : nil })
        }
        return hierarchy
    }
}
