// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Nib {
    /// The references to all objects, in file order.
    public var references: some RandomAccessCollection<NibReference> {
        objects.indices.lazy.map(NibReference.init)
    }

    /// Returns the archived class name of an object, such as `NSClassSwapper` for an object with a custom class.
    public func className(of object: NibReference) -> String {
        classes[objects[object.index].classIndex].name
    }

    /// Returns the keys and values of an object, in file order; the elements of an array share one key.
    public func entries(of object: NibReference) -> some RandomAccessCollection<(key: String, value: NibValue)> {
        values[objects[object.index].values].lazy.map { (keys[$0.keyIndex], $0.value) }
    }

    /// Returns the first value of an object under a key; `nil` if there is none.
    public func value(_ key: String, of object: NibReference) -> NibValue? {
        for entry in values[objects[object.index].values] where keys[entry.keyIndex] == key { return entry.value }
        return nil
    }

    /// Returns the object under a key; `nil` if there is no value, or it is not an object.
    public func object(_ key: String, of object: NibReference) -> NibReference? {
        guard case .object(let found)? = value(key, of: object) else { return nil }
        return found
    }

    /// Returns the text of the string object, or the UTF-8 bytes, under a key; `nil` for any other value.
    public func string(_ key: String, of object: NibReference) -> String? {
        switch value(key, of: object) {
        case .object(let found): text(of: found)
        case .data(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }

    /// Returns the text of a string object; `nil` if the object is not a string or its bytes are not UTF-8.
    public func text(of object: NibReference) -> String? {
        guard NibClass.strings.contains(className(of: object)), case .data(let bytes)? = value("NS.bytes", of: object)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Returns the objects in an array or set, without values of other types.
    public func elements(of array: NibReference) -> [NibReference] {
        entries(of: array).compactMap { key, value in
            guard key == Self.emptyKey, case .object(let element) = value else { return nil }
            return element
        }
    }

    /// Returns the objects in the array or set under a key; empty if there is none.
    public func elements(_ key: String, of object: NibReference) -> [NibReference] {
        self.object(key, of: object).map(elements) ?? []
    }

    /// Returns the class name of the created object, such as that of a custom class.
    public func runtimeClassName(of object: NibReference) -> String {
        let name = className(of: object)
        return NibClass.keysOfNames[name].flatMap { string($0, of: object) } ?? NibClass.templates[name] ?? name
    }
}

extension NibClass {
    /// The runtime classes of objects that represent another class without naming it.
    static let templates = ["NSCustomView": "NSView", "NSWindowTemplate": "NSWindow"]
    /// The classes of string objects.
    static let strings: Set = ["NSString", "NSMutableString", "NSLocalizableString"]
    /// The classes whose objects represent another class, with the key of that class's name.
    static let keysOfNames = [
        "NSCustomObject": "NSClassName", "NSCustomView": "NSClassName", "NSClassSwapper": "NSClassName",
        "NSWindowTemplate": "NSWindowClass", "UIClassSwapper": "UIClassName", "UICustomObject": "UIClassName",
    ]
}
