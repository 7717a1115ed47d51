// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Reads the objects of a keyed archive (NSKeyedArchiver) from a property list.
///
/// The reader writes the nib's tables directly: only data values need an allocation each.
struct KeyedArchiveReader<Source: PropertyListSource> {
    private let source: Source
    /// The elements of `$objects`.
    private let archived: PropertyListElements
    private let top: PropertyListElements
    /// The nib object of each archived object; `none` for `$null` and class descriptions.
    private var references: [Int32] = []
    /// The nib class of each class description; `none` if it has not been read yet.
    private var classNumbers: [Int32]
    private var classes: [NibClass] = []
    private var classIndices: [String: Int32] = [:]
    private var keys: KeyedArchiveKeys
    private var objects: [NibObject] = []
    private var values: [NibEntry] = []
    /// The remaining budget of values and text bytes.
    ///
    /// A binary property list can refer to one large array or text many times.
    private var remainingValues: Int
    /// The remaining budget of key lookups and bytes of key names.
    private var remainingSearches: Int
    private static var none: Int32 { -1 }

    /// Returns the nib of an archive of the given size in bytes; `$top` becomes its root.
    static func nib(of source: Source, size: Int, encoding: NibEncoding) throws(NibError) -> Nib {
        var reader = try KeyedArchiveReader(source, size: size)
        return try reader.nib(encoding)
    }

    private init(_ source: Source, size: Int) throws(NibError) {
        self.source = source
        (remainingValues, remainingSearches) = (4 * size, 4 * size)
        keys = KeyedArchiveKeys(count: source.count)
        guard case .dictionary(let root) = try source.value(source.root) else { throw .noArchive }
        var found: (top: PropertyListElements?, objects: PropertyListElements?)
        for position in 0..<root.count {
            let key = try Self.keyNumber(position, of: root, source, &keys, &remainingSearches)
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
        // A small file can refer to one object many times, and is rejected later, so the reserved capacity is limited.
        objects.reserveCapacity(min(Int(count) + 1, remainingValues / 32))
        values.reserveCapacity(min(4 * Int(count), remainingValues / 32))
    }

    private mutating func isObject(_ position: Int) throws(NibError) -> Bool {
        switch try source.value(try source.element(position, of: archived)) {
        case .string(let text): return position != 0 || source.bytes(of: text) != Array("$null".utf8)
        case .dictionary(let dictionary):
            // The class is the first key of most objects, which avoids a search through all keys.
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

    /// Creates an object with one value, such as a string.
    private mutating func single(
        _ className: String, _ key: String, _ value: NibValue
    ) throws(NibError) -> NibObject {
        try charge(1)
        let classIndex = classIndex(named: className)
        append(keys.number(of: key), value)
        return NibObject(classIndex: classIndex, values: values.count - 1..<values.count)
    }

    /// Appends the values of a dictionary and returns their indices.
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
            // A mutable string or data object contains its content directly.
            case .string where role == .string, .data where role == .data:
                append(keys.number(of: "NS.bytes"), try nibValue(value))
            default: append(key, try nibValue(value))
            }
        }
        return values.count == first ? 0..<0 : first..<values.count
    }

    /// Appends the elements of an array, or the keys and values of a dictionary.
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
        remainingValues -= count
        guard remainingValues > 0 else { throw .malformed(.propertyList, offset: nil) }
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

    /// Returns the first value of a dictionary whose key has the given role.
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
        try Self.keyNumber(position, of: dictionary, source, &keys, &remainingSearches)
    }

    /// Returns the number of a dictionary's key in the archive's key table.
    private static func keyNumber(
        _ position: Int, of dictionary: PropertyListElements, _ source: Source, _ keys: inout KeyedArchiveKeys,
        _ remainingSearches: inout Int
    ) throws(NibError) -> Int {
        remainingSearches -= 1
        let value = try source.key(position, of: dictionary)
        if let known = keys.number(ofValue: value) {
            guard remainingSearches > 0 else { throw .malformed(.propertyList, offset: nil) }
            return known
        }
        guard case .string(let text) = try source.value(value) else {
            throw .malformed(.propertyList, offset: dictionary.start)
        }
        remainingSearches -= text.range.count
        guard remainingSearches > 0 else { throw .malformed(.propertyList, offset: nil) }
        return keys.add(String(decoding: source.bytes(of: text), as: UTF8.self), value: value)
    }
}
