// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Builds a nib from objects whose keys and classes are given by name.
struct NibBuilder {
    private var objects: [NibObject] = []
    private var values: [NibEntry] = []
    private var keys: (names: [String], indices: [String: Int]) = ([], [:])
    private var classes: (all: [NibClass], indices: [String: Int]) = ([], [:])

    /// Adds an object; its values may refer to objects that are added later.
    @discardableResult
    mutating func add(_ className: String, _ entries: [(key: String, value: NibValue)]) -> NibReference {
        let reference = reserve()
        define(reference, className, entries)
        return reference
    }

    /// Reserves a reference for an object that is defined later.
    mutating func reserve() -> NibReference {
        objects.append(NibObject(classIndex: 0, values: 0..<0))
        return NibReference(objects.count - 1)
    }

    /// Defines the object of a reserved reference.
    mutating func define(
        _ reference: NibReference, _ className: String, _ entries: [(key: String, value: NibValue)]
    ) {
        let first = values.count
        let classIndex = index(ofClass: className)
        for (key, value) in entries { values.append(NibEntry(keyIndex: index(ofKey: key), value: value)) }
        objects[reference.index] = NibObject(
            classIndex: classIndex, values: entries.isEmpty ? 0..<0 : first..<values.count)
    }

    /// Adds a string object.
    mutating func add(_ text: String) -> NibValue {
        .object(add("NSString", [("NS.bytes", .data(Array(text.utf8)))]))
    }

    /// Adds an array of objects.
    mutating func add(_ elements: [NibReference]) -> NibValue {
        .object(add("NSArray", Self.entries(ofElements: elements.map(NibValue.object))))
    }

    /// Returns the entries of an array object, or of a dictionary object with alternating keys and values.
    static func entries(ofElements elements: [NibValue]) -> [(key: String, value: NibValue)] {
        [("NSInlinedValue", .bool(true))] + elements.map { (Nib.emptyKey, $0) }
    }

    private mutating func index(ofKey name: String) -> Int {
        if let index = keys.indices[name] { return index }
        keys.names.append(name)
        keys.indices[name] = keys.names.count - 1
        return keys.names.count - 1
    }

    private mutating func index(ofClass name: String) -> Int {
        if let index = classes.indices[name] { return index }
        classes.all.append(NibClass(name))
        classes.indices[name] = classes.all.count - 1
        return classes.all.count - 1
    }

    func nib(_ encoding: NibEncoding) throws(NibError) -> Nib {
        try Nib(encoding: encoding, objects: objects, keys: keys.names, values: values, classes: classes.all)
    }
}
