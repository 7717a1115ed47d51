// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Nib {
    /// References to all objects, in the order of the file.
    public var references: some RandomAccessCollection<NibReference> {
        objects.indices.lazy.map(NibReference.init)
    }

    /// The name of an object's class as it is archived, such as `NSClassSwapper` for an object of a program's own class.
    public func className(of object: NibReference) -> String {
        classes[objects[object.index].classIndex].name
    }

    /// The keys and values of an object, in the order of the file; arrays repeat a key.
    public func entries(of object: NibReference) -> some RandomAccessCollection<(key: String, value: NibValue)> {
        values[objects[object.index].values].lazy.map { (keys[$0.keyIndex], $0.value) }
    }

    /// The first value of an object under a key; `nil` if there is none.
    public func value(_ key: String, of object: NibReference) -> NibValue? {
        for entry in values[objects[object.index].values] where keys[entry.keyIndex] == key { return entry.value }
        return nil
    }

    /// The object under a key; `nil` if there is no value, or one that is no object.
    public func object(_ key: String, of object: NibReference) -> NibReference? {
        guard case .object(let found)? = value(key, of: object) else { return nil }
        return found
    }

    /// The text of the string object, or the bytes in UTF-8, under a key; `nil` for another value.
    public func string(_ key: String, of object: NibReference) -> String? {
        switch value(key, of: object) {
        case .object(let found): text(of: found)
        case .data(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }

    /// The text of a string object; `nil` if the object is no string, or its bytes are not UTF-8.
    public func text(of object: NibReference) -> String? {
        guard NibClass.strings.contains(className(of: object)), case .data(let bytes)? = value("NS.bytes", of: object)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The objects that an array or a set holds; values of other types are left out.
    public func elements(of array: NibReference) -> [NibReference] {
        entries(of: array).compactMap { key, value in
            guard key == Self.emptyKey, case .object(let element) = value else { return nil }
            return element
        }
    }

    /// The objects that the array or set under a key holds; empty if there is none.
    public func elements(_ key: String, of object: NibReference) -> [NibReference] {
        self.object(key, of: object).map(elements) ?? []
    }

    /// The name of the class that an object gets when it is made, such as that of a program's own class.
    public func runtimeClassName(of object: NibReference) -> String {
        let name = className(of: object)
        return NibClass.keysOfNames[name].flatMap { string($0, of: object) } ?? NibClass.templates[name] ?? name
    }
}

extension NibClass {
    /// What an object becomes that stands for another class without naming it.
    static let templates = ["NSCustomView": "NSView", "NSWindowTemplate": "NSWindow"]
    /// The classes whose objects are strings.
    static let strings: Set = ["NSString", "NSMutableString", "NSLocalizableString"]
    /// The classes whose objects stand for those of another class, and under which key its name is.
    static let keysOfNames = [
        "NSCustomObject": "NSClassName", "NSCustomView": "NSClassName", "NSClassSwapper": "NSClassName",
        "NSWindowTemplate": "NSWindowClass", "UIClassSwapper": "UIClassName", "UICustomObject": "UIClassName",
    ]
}
