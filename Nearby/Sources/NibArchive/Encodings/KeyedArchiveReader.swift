// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Reads the objects of a keyed archive (NSKeyedArchiver) out of a property list.
struct KeyedArchiveReader {
    private let objects: [PropertyList]
    /// Which object of the nib each one of the archive becomes; `nil` for `$null` and the descriptions of classes.
    private let references: [NibReference?]
    private var builder = NibBuilder()
    /// How many values and bytes of texts may follow.
    ///
    /// A binary property list can name one large array or text many times.
    private var left: Int

    /// The nib of an archive that had some number of bytes; `$top` becomes its root.
    static func nib(of archive: PropertyList, size: Int, encoding: NibEncoding) throws(NibError) -> Nib {
        guard case .dictionary(let top)? = archive["$top"], case .array(let objects)? = archive["$objects"] else {
            throw .noArchive
        }
        var reader = KeyedArchiveReader(objects, size: size)
        return try reader.nib(top: top, encoding: encoding)
    }

    private init(_ objects: [PropertyList], size: Int) {
        self.objects = objects
        var count = 0
        references = objects.enumerated().map { index, object in
            if case .string("$null") = object, index == 0 { return nil }
            // Most objects have their class first, and so need no search through all keys.
            guard object["$class"] != nil || object["$classname"] == nil else { return nil }
            count += 1
            return NibReference(count)
        }
        left = 4 * size
    }

    private mutating func nib(
        top: [(key: String, value: PropertyList)], encoding: NibEncoding
    ) throws(NibError) -> Nib {
        builder.add("NSObject", try entries(top))
        for (object, reference) in zip(objects, references) where reference != nil { try add(object) }
        return try builder.nib(encoding)
    }

    private mutating func add(_ object: PropertyList) throws(NibError) {
        switch object {
        case .string: builder.add("NSString", [("NS.bytes", try value(object))])
        case .integer(let value): builder.add("NSNumber", [("NS.intval", .integer(value))])
        case .real(let value): builder.add("NSNumber", [("NS.dblval", .double(value))])
        case .bool(let value): builder.add("NSNumber", [("NS.boolval", .bool(value))])
        case .data: builder.add("NSData", [("NS.bytes", try value(object))])
        case .date(let time): builder.add("NSDate", [("NS.time", .double(time))])
        case .dictionary(let dictionary): builder.add(try className(of: object), try entries(dictionary))
        case .uid, .array: throw .malformed(.object, offset: nil)
        }
    }

    private func className(of object: PropertyList) throws(NibError) -> String {
        guard case .uid(let uid)? = object["$class"], objects.indices.contains(uid),
            case .string(let name)? = objects[uid]["$classname"], !name.utf8.contains(0)
        else { throw .malformed(.object, offset: nil) }
        return name
    }

    private mutating func entries(
        _ dictionary: [(key: String, value: PropertyList)]
    ) throws(NibError) -> [(key: String, value: NibValue)] {
        var entries: [(key: String, value: NibValue)] = []
        entries.reserveCapacity(dictionary.count)
        for (key, value) in dictionary {
            switch value {
            case .uid where key == "$class": break
            case .array where key == "NS.keys": break
            case .array(let elements) where key == "NS.objects":
                let keys = dictionary.first { $0.key == "NS.keys" }?.value
                entries += NibBuilder.entries(ofElements: try values(elements, keys: keys))
            case .array(let elements): entries += try values(elements).map { (key, $0) }
            // A mutable string or data object holds its content itself.
            case .string where key == "NS.string", .data where key == "NS.data":
                entries.append(("NS.bytes", try self.value(value)))
            default: entries.append((key, try self.value(value)))
            }
        }
        return entries
    }

    /// The elements of an array, or those of a dictionary with their keys before them.
    private mutating func values(_ elements: [PropertyList], keys: PropertyList? = nil) throws(NibError) -> [NibValue] {
        var values: [NibValue] = []
        if case .array(let keys)? = keys {
            guard keys.count == elements.count else { throw .malformed(.object, offset: nil) }
            for (key, element) in zip(keys, elements) { values += [try value(key), try value(element)] }
        } else {
            for element in elements { values.append(try value(element)) }
        }
        return values
    }

    private mutating func value(_ value: PropertyList) throws(NibError) -> NibValue {
        try charge(1)
        switch value {
        case .uid(let uid):
            guard objects.indices.contains(uid) else { throw .badIndex(.object, index: uid, offset: nil) }
            return references[uid].map(NibValue.object) ?? .nil
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .real(let value), .date(let value): return .double(value)
        case .string(let text):
            try charge(text.utf8.count)
            return .data(Array(text.utf8))
        case .data(let bytes):
            try charge(bytes.count)
            return .data(bytes)
        case .array, .dictionary: throw .malformed(.object, offset: nil)
        }
    }

    private mutating func charge(_ count: Int) throws(NibError) {
        left -= count
        guard left > 0 else { throw .malformed(.propertyList, offset: nil) }
    }
}
