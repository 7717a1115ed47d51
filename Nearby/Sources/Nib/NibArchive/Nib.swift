// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A compiled interface file: the objects that Interface Builder archived, with their values and references.
///
/// All four encodings are read into this one form, which is that of a NIBArchive: the elements of an array are values
/// under the key ``emptyKey``, and the bytes of a string are a value under the key `NS.bytes`. Objects may refer to
/// each other in cycles.
public struct Nib: Hashable, Sendable {
    /// The key of the elements of an array, set or dictionary; the keys and values of a dictionary alternate.
    public static let emptyKey = "UINibEncoderEmptyKey"

    /// The encoding of the file.
    public let encoding: NibEncoding
    /// The objects; the first one is the root.
    public let objects: [NibObject]
    /// The keys of values, in file order.
    public let keys: [String]
    /// The values of all objects.
    public let values: [NibEntry]
    /// The classes of objects.
    public let classes: [NibClass]

    /// Creates a nib from its parts.
    ///
    /// - Throws: ``NibError/badIndex(_:index:offset:)``, without an offset, if a part refers to another one that does
    ///   not exist.
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

    /// Creates a nib from parts whose indices were already validated.
    init(checked encoding: NibEncoding, objects: [NibObject], keys: [String], values: [NibEntry], classes: [NibClass]) {
        (self.encoding, self.objects, self.keys) = (encoding, objects, keys)
        (self.values, self.classes) = (values, classes)
    }

    /// Reads a compiled interface file in any of its encodings.
    ///
    /// - Parameter data: The complete file, of at most ``maximumByteCount`` bytes.
    /// - Throws: ``NibError``, with the offset of the invalid byte, counted from 0.
    public init(data: some Sequence<UInt8>) throws(NibError) {
        let bytes = Array(data)
        guard bytes.count <= Self.maximumByteCount else { throw .tooLarge(maximumByteCount: Self.maximumByteCount) }
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
            throw .unexpectedEnd(.header, offset: bytes.count)
        } else {
            throw .unknownEncoding
        }
    }

    /// The maximum file size in bytes: 64 MiB.
    public static let maximumByteCount = 64 << 20
}
