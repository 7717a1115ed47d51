// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Reads the objects of a keyed archive (NSKeyedArchiver) out of a property list.
///
/// The nib's tables are written as the values are met: neither objects nor values are allocated one by one, but for data.
struct KeyedArchiveReader<Source: PropertyListSource> {
    private let source: Source
    /// What `$objects` holds.
    private let archived: PropertyListElements
    private let top: PropertyListElements
    /// Which object of the nib each one of the archive becomes; `none` for `$null` and the descriptions of classes.
    private var references: [Int32] = []
    /// The nib's class that each description of a class names; `none` where it was not looked up yet.
    private var classNumbers: [Int32]
    private var classes: [NibClass] = []
    private var classIndices: [String: Int32] = [:]
    private var keys: KeyedArchiveKeys
    private var objects: [NibObject] = []
    private var values: [NibEntry] = []
    /// How many values and bytes of texts may follow.
    ///
    /// A binary property list can name one large array or text many times.
    private var left: Int
    /// How many keys, and bytes of names, may be looked at for them.
    private var searchesLeft: Int
    private static var none: Int32 { -1 }

    /// The nib of an archive that had some number of bytes; `$top` becomes its root.
    static func nib(of source: Source, size: Int, encoding: NibEncoding) throws(NibError) -> Nib {
        var reader = try KeyedArchiveReader(source, size: size)
        return try reader.nib(encoding)
    }

    private init(_ source: Source, size: Int) throws(NibError) {
        self.source = source
        (left, searchesLeft) = (4 * size, 4 * size)
        keys = KeyedArchiveKeys(count: source.count)
        guard case .dictionary(let root) = try source.value(source.root) else { throw .noArchive }
        var found: (top: PropertyListElements?, objects: PropertyListElements?)
        for position in 0..<root.count {
            let key = try Self.keyNumber(position, of: root, source, &keys, &searchesLeft)
            let role = keys.role(of: key)
            guard role == .top || role == .objectTable else { continue }
            switch try source.value(try source.value(position, of: root)) {
            case .dictionary(let elements) where role == .top && found.top == nil: found.top = elements
            case .array(let elements) where role == .objectTable && found.objects == nil: found.objects = elements
            default: break
            }
        }
        guard let top = found.top, let objects = found.objects else { throw .noArchive }
        (self.top, archived) = (top, objects)
        classNumbers = Array(repeating: Self.none, count: objects.count)
    }

    private mutating func nib(_ encoding: NibEncoding) throws(NibError) -> Nib {
        try numberObjects()
        let rootClass = classIndex(named: "NSObject")
        objects.append(NibObject(classIndex: rootClass, values: try entries(top)))
        for position in 0..<archived.count where references[position] != Self.none {
            objects.append(try object(try source.value(try source.element(position, of: archived))))
        }
        return Nib(checked: encoding, objects: objects, keys: keys.used, values: values, classes: classes)
    }

    private mutating func numberObjects() throws(NibError) {
        references.reserveCapacity(archived.count)
        var count: Int32 = 0
        for position in 0..<archived.count {
            let isObject = try isObject(position)
            count += isObject ? 1 : 0
            references.append(isObject ? count : Self.none)
        }
        // A small file can name one object many times, and is refused later.
        objects.reserveCapacity(min(Int(count) + 1, left / 32))
        values.reserveCapacity(min(4 * Int(count), left / 32))
    }

    private mutating func isObject(_ position: Int) throws(NibError) -> Bool {
        switch try source.value(try source.element(position, of: archived)) {
        case .string(let text): return position != 0 || source.bytes(of: text) != Array("$null".utf8)
        case .dictionary(let dictionary):
            // Most objects have their class first, and so need no search through all keys.
            if try value(.class, of: dictionary) != nil { return true }
            return try value(.className, of: dictionary) == nil
        default: return true
        }
    }

    private mutating func object(_ value: PropertyListValue) throws(NibError) -> NibObject {
        switch value {
        case .string(let text): try single("NSString", "NS.bytes", .data(try bytes(of: text)))
        case .data(let data): try single("NSData", "NS.bytes", .data(try bytes(of: data)))
        case .integer(let value): try single("NSNumber", "NS.intval", .integer(value))
        case .real(let value): try single("NSNumber", "NS.dblval", .double(value))
        case .bool(let value): try single("NSNumber", "NS.boolval", .bool(value))
        case .date(let time): try single("NSDate", "NS.time", .double(time))
        case .dictionary(let dictionary):
            NibObject(classIndex: try classIndex(of: dictionary), values: try entries(dictionary))
        case .uid, .array: throw .malformed(.object, offset: nil)
        }
    }

    /// An object with one value, such as a string.
    private mutating func single(
        _ className: String, _ key: String, _ value: NibValue
    ) throws(NibError) -> NibObject {
        try charge(1)
        let classIndex = classIndex(named: className)
        append(keys.number(of: key), value)
        return NibObject(classIndex: classIndex, values: values.count - 1..<values.count)
    }

    /// Writes a dictionary's values, and returns their places.
    private mutating func entries(_ dictionary: PropertyListElements) throws(NibError) -> Range<Int> {
        let first = values.count
        for position in 0..<dictionary.count {
            let key = try keyNumber(position, of: dictionary)
            let role = keys.role(of: key)
            let value = try source.value(try source.value(position, of: dictionary))
            switch value {
            case .uid where role == .class: break
            case .array where role == .elementKeys: break
            case .array(let elements) where role == .elements: try append(elements, of: dictionary)
            case .array(let elements):
                for place in 0..<elements.count { append(key, try nibValue(place, of: elements)) }
            // A mutable string or data object holds its content itself.
            case .string where role == .string, .data where role == .data:
                append(keys.number(of: "NS.bytes"), try nibValue(value))
            default: append(key, try nibValue(value))
            }
        }
        return values.count == first ? 0..<0 : first..<values.count
    }

    /// Writes the elements of an array, or those of a dictionary with their keys before them.
    private mutating func append(
        _ elements: PropertyListElements, of dictionary: PropertyListElements
    ) throws(NibError) {
        append(keys.number(of: "NSInlinedValue"), .bool(true))
        let key = keys.number(of: Nib.emptyKey)
        var elementKeys: PropertyListElements?
        if let value = try value(.elementKeys, of: dictionary), case .array(let found) = value {
            guard found.count == elements.count else { throw .malformed(.object, offset: nil) }
            elementKeys = found
        }
        for place in 0..<elements.count {
            if let elementKeys { append(key, try nibValue(place, of: elementKeys)) }
            append(key, try nibValue(place, of: elements))
        }
    }

    private mutating func append(_ key: Int, _ value: NibValue) {
        values.append(NibEntry(keyIndex: keys.index(of: key), value: value))
    }

    private mutating func nibValue(_ position: Int, of array: PropertyListElements) throws(NibError) -> NibValue {
        try nibValue(try source.value(try source.element(position, of: array)))
    }

    private mutating func nibValue(_ value: PropertyListValue) throws(NibError) -> NibValue {
        try charge(1)
        switch value {
        case .uid(let uid):
            guard uid < references.count else { throw .badIndex(.object, index: uid, offset: nil) }
            let number = references[uid]
            return number == Self.none ? .nil : .object(NibReference(Int(number)))
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .real(let value), .date(let value): return .double(value)
        case .string(let text), .data(let text): return .data(try bytes(of: text))
        case .array, .dictionary: throw .malformed(.object, offset: nil)
        }
    }

    private mutating func bytes(of text: PropertyListText) throws(NibError) -> [UInt8] {
        let bytes = source.bytes(of: text)
        try charge(bytes.count)
        return bytes
    }

    private mutating func charge(_ count: Int) throws(NibError) {
        left -= count
        guard left > 0 else { throw .malformed(.propertyList, offset: nil) }
    }
}

extension KeyedArchiveReader {
    private mutating func classIndex(of dictionary: PropertyListElements) throws(NibError) -> Int {
        guard case .uid(let uid)? = try value(.class, of: dictionary), uid < archived.count else {
            throw .malformed(.object, offset: nil)
        }
        let known = classNumbers[uid]
        guard known == Self.none else { return Int(known) }
        guard case .dictionary(let description) = try source.value(try source.element(uid, of: archived)),
            case .string(let text)? = try value(.className, of: description)
        else { throw .malformed(.object, offset: nil) }
        let name = String(decoding: try bytes(of: text), as: UTF8.self)
        guard !name.utf8.contains(0) else { throw .malformed(.object, offset: nil) }
        let index = classIndex(named: name)
        classNumbers[uid] = Int32(index)
        return index
    }

    private mutating func classIndex(named name: String) -> Int {
        if let index = classIndices[name] { return Int(index) }
        classIndices[name] = Int32(classes.count)
        classes.append(NibClass(name))
        return classes.count - 1
    }

    /// The first value of a dictionary under a key with a role.
    private mutating func value(
        _ role: KeyedArchiveKeys.Role, of dictionary: PropertyListElements
    ) throws(NibError) -> PropertyListValue? {
        for position in 0..<dictionary.count {
            let key = try keyNumber(position, of: dictionary)
            guard keys.role(of: key) == role else { continue }
            return try source.value(try source.value(position, of: dictionary))
        }
        return nil
    }

    private mutating func keyNumber(
        _ position: Int, of dictionary: PropertyListElements
    ) throws(NibError) -> Int {
        try Self.keyNumber(position, of: dictionary, source, &keys, &searchesLeft)
    }

    /// The number among the archive's keys of one of a dictionary's.
    private static func keyNumber(
        _ position: Int, of dictionary: PropertyListElements, _ source: Source, _ keys: inout KeyedArchiveKeys,
        _ searchesLeft: inout Int
    ) throws(NibError) -> Int {
        searchesLeft -= 1
        let value = try source.key(position, of: dictionary)
        if let known = keys.number(ofValue: value) {
            guard searchesLeft > 0 else { throw .malformed(.propertyList, offset: nil) }
            return known
        }
        guard case .string(let text) = try source.value(value) else {
            throw .malformed(.propertyList, offset: dictionary.start)
        }
        searchesLeft -= text.range.count
        guard searchesLeft > 0 else { throw .malformed(.propertyList, offset: nil) }
        return keys.add(String(decoding: source.bytes(of: text), as: UTF8.self), value: value)
    }
}
