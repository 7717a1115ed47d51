// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A compiled interface file: the objects that Interface Builder archived, with their values and references.
///
/// The four encodings are read into this one form, which is that of a NIBArchive: an array holds its elements as values with the key
/// ``emptyKey``, and a string its bytes as a value with the key `NS.bytes`. Objects may refer to each other in cycles.
public struct Nib: Hashable, Sendable {
    /// The key of the elements of an array, a set or a dictionary; a dictionary's keys and values take turns.
    public static let emptyKey = "UINibEncoderEmptyKey"

    /// How the file was encoded.
    public let encoding: NibEncoding
    /// The objects; the first one is the root.
    public let objects: [NibObject]
    /// The names of values, in the order of the file.
    public let keys: [String]
    /// The values of all objects.
    public let values: [NibEntry]
    /// The classes of objects.
    public let classes: [NibClass]

    /// Makes a nib of its parts.
    ///
    /// - Throws: ``NibError/badIndex(_:index:offset:)``, without an offset, if a part refers to one that does not exist.
    public init(
        encoding: NibEncoding = .nibArchive(formatVersion: 1, coderVersion: 10), objects: [NibObject], keys: [String],
        values: [NibEntry], classes: [NibClass]
    ) throws(NibError) {
        for object in objects {
            guard classes.indices.contains(object.classIndex) else {
                throw .badIndex(.class, index: object.classIndex, offset: nil)
            }
            guard object.values.lowerBound >= 0, object.values.upperBound <= values.count else {
                throw .badIndex(.value, index: object.values.upperBound, offset: nil)
            }
        }
        for entry in values {
            guard keys.indices.contains(entry.keyIndex) else {
                throw .badIndex(.key, index: entry.keyIndex, offset: nil)
            }
            if case .object(let reference) = entry.value, !objects.indices.contains(reference.index) {
                throw .badIndex(.object, index: reference.index, offset: nil)
            }
        }
        for index in classes.lazy.flatMap(\.fallbacks) where !classes.indices.contains(index) {
            throw .badIndex(.class, index: index, offset: nil)
        }
        self.init(checked: encoding, objects: objects, keys: keys, values: values, classes: classes)
    }

    /// Of parts whose indices the caller has checked.
    init(checked encoding: NibEncoding, objects: [NibObject], keys: [String], values: [NibEntry], classes: [NibClass]) {
        (self.encoding, self.objects, self.keys) = (encoding, objects, keys)
        (self.values, self.classes) = (values, classes)
    }

    /// Reads a compiled interface file in any of its encodings.
    ///
    /// - Parameter data: The whole file, of at most ``mostBytes`` bytes.
    /// - Throws: ``NibError``, with the offset of the byte that cannot be read, counted from 0.
    public init(data: some Sequence<UInt8>) throws(NibError) {
        let bytes = Array(data)
        guard bytes.count <= Self.mostBytes else { throw .tooLarge(mostBytes: Self.mostBytes) }
        if bytes.starts(with: NIBArchiveReader.magic) {
            var reader = NIBArchiveReader(bytes)
            self = try reader.nib()
        } else if bytes.starts(with: BinaryPropertyList.magic) {
            self = try KeyedArchiveReader.nib(
                of: try BinaryPropertyList(bytes), size: bytes.count, encoding: .binaryPropertyList)
        } else if XMLScanner.isXML(bytes) {
            var scanner = XMLScanner(bytes)
            switch try scanner.skipProlog() {
            case "plist":
                self = try KeyedArchiveReader.nib(
                    of: try XMLPropertyList(scanner), size: bytes.count, encoding: .xmlPropertyList)
            case "document": self = try DesignDocumentReader.nib(of: try XMLElement(&scanner))
            case "archive": self = try DesignArchiveReader.nib(of: try XMLElement(&scanner))
            default: throw .noArchive
            }
        } else if [NIBArchiveReader.magic, BinaryPropertyList.magic].contains(where: { $0.starts(with: bytes) }) {
            throw .endsEarly(.header, offset: bytes.count)
        } else {
            throw .unknownEncoding
        }
    }

    /// The most bytes that are read: 64 MiB.
    public static let mostBytes = 64 << 20
}
