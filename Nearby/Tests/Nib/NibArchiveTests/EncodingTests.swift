// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NibArchive
import Testing

/// Tests of variants of the four encodings that are missing from the test data.
struct EncodingTests {
    @Test(
        "Values of all types, large numbers and empty data are unchanged by reading and writing",
        arguments: [9, 10] as [UInt32])
    func allValues(coderVersion: UInt32) throws {
        let values: [NibValue] = [
            .int8(.min), .int16(.max), .int32(.min), .int64(.max), .bool(true), .bool(false), .float(-.infinity),
            .double(.leastNonzeroMagnitude), .data([]), .data(Array(repeating: 0xFF, count: 20_000)), .nil,
            .object(NibReference(0)),
        ]
        // The numbers of keys, values and classes exceed what one and two bytes can represent.
        let objects = (0..<2_000).map { number -> SampleNib.Object in
            ("Class\(number % 200)", values.enumerated().map { ("key\(($0 + number) % 300)", $1) })
        }
        let nib = try SampleNib.make(Array(objects.prefix(20)) + objects.suffix(200), coderVersion: coderVersion)
        let read = try Nib(data: nib.nibArchive)
        #expect(read == nib)
        #expect(read.nibArchive == nib.nibArchive)
        #expect(read.encoding == .nibArchive(formatVersion: 1, coderVersion: coderVersion))
    }

    @Test("A class names its fallbacks, and the registry uses the first one that it has")
    func fallbacks() throws {
        final class Connector {}
        let nib = try Nib(
            objects: [
                NibObject(classIndex: 0, values: 0..<2), NibObject(classIndex: 1, values: 2..<3),
                NibObject(classIndex: 2, values: 0..<0),
            ],
            keys: ["UINibObjectsKey", "UINibTopLevelObjectsKey", Nib.emptyKey],
            values: [
                NibEntry(keyIndex: 0, value: .object(NibReference(1))),
                NibEntry(keyIndex: 1, value: .object(NibReference(1))),
                NibEntry(keyIndex: 2, value: .object(NibReference(2))),
            ],
            classes: [
                NibClass("NSObject"), NibClass("NSArray"), NibClass("Größe", fallbacks: [4, 3]), NibClass("Known"),
                NibClass("Unknown"),
            ])
        #expect(try Nib(data: nib.nibArchive) == nib)
        var registry = NibRegistry(strict: true)
        registry.register("Known") { Connector() }
        #expect(try nib.instantiate(registry: registry).topLevelObjects.first is Connector)
    }

    /// Tests arrays without `NSInlinedValue`, and with a false one.
    @Test("An array has its elements regardless of its other values")
    func arrays() throws {
        for first in [[("NSInlinedValue", NibValue.bool(false))], []] {
            let entries = first + [(Nib.emptyKey, SampleNib.to(1)), (Nib.emptyKey, .nil), (Nib.emptyKey, .int8(1))]
            let nib = try SampleNib.make([
                ("NSArray", entries.map { (key: $0.0, value: $0.1) }), SampleNib.text("a"),
            ])
            #expect(nib.elements(of: NibReference(0)) == [NibReference(1)])
        }
    }

    private static func archive(_ top: String, _ objects: String) -> String {
        "<plist><dict><key>$objects</key><array><string>$null</string>\(objects)</array><key>$top</key><dict>\(top)</dict></dict></plist>"
    }

    private static func uid(_ number: Int) -> String {
        "<dict> <!-- a reference --> <key>CF$UID</key><integer>0x\(String(number, radix: 16))</integer></dict>"
    }

    @Test("A keyed archive can have its root under any key, dictionaries and all kinds of strings")
    func keyedArchive() throws {
        let objects = """
            <dict><key>NS.keys</key><array>\(Self.uid(2))\(Self.uid(3))</array>
              <key>NS.objects</key><array>\(Self.uid(3))\(Self.uid(0))</array><key>$class</key>\(Self.uid(4))</dict>
            <dict><key>$class</key>\(Self.uid(5))<key>NS.string</key><string>a<![CDATA[&]]><?b?>&amp;c</string></dict>
            <string>b</string>
            <dict><key>$classname</key><string>NSDictionary</string><key>$classes</key><array><string>NSDictionary</string></array></dict>
            <dict><key>$classes</key><array/><key>$classname</key><string>NSMutableString</string></dict>
            <dict><key>$class</key><dict><key>CF$UID</key><integer>7</integer></dict><key>NS.data</key><data> AA EC </data>
              <key>&#x6B;</key><array><true/><false></false><integer> -1 </integer></array><key/><real>1e3</real></dict>
            <dict><key>$classname</key><string>NSMutableData</string></dict>
            """
        let nib = try Nib(data: Self.archive("<key>root</key>\(Self.uid(1))", objects).utf8)
        #expect(nib.keys == ["root", "NSInlinedValue", Nib.emptyKey, "NS.bytes", "k", ""])
        #expect(nib.object("root", of: NibReference(0)) == NibReference(1))
        #expect(
            nib.entries(of: NibReference(1)).map(\.value) == [
                .bool(true), .object(NibReference(2)), .object(NibReference(3)), .object(NibReference(3)), .nil,
            ])
        #expect(nib.text(of: NibReference(2)) == "a&&c")
        #expect(
            nib.entries(of: NibReference(4)).map(\.value) == [
                .data([0, 1, 2]), .bool(true), .bool(false), .int8(-1), .double(1_000),
            ])
        #expect(try Nib(data: nib.nibArchive).values == nib.values)
    }

    @Test(
        "An archive with damaged tables is rejected",
        arguments: [
            ("<key>a</key>\(uid(9))", "", NibError.badIndex(.object, index: 9, offset: nil)),
            ("<key>a</key><dict><key>b</key><true/></dict>", "", .malformed(.object, offset: nil)),
            ("", "<array/>", .malformed(.object, offset: nil)),
            ("", "<dict><key>a</key><true/></dict>", .malformed(.object, offset: nil)),
            ("", "<dict><key>$class</key>\(uid(1))</dict>", .malformed(.object, offset: nil)),
            ("", "<dict><key>$class</key>\(uid(7))</dict>", .malformed(.object, offset: nil)),
            ("", "<dict><key>a</key></dict>", .malformed(.propertyList, offset: 61)),
            ("", "<string>a<b/></string>", .malformed(.propertyList, offset: 70)),
        ] as [(String, String, NibError)])
    func damagedArchive(top: String, objects: String, error: NibError) {
        #expect(throws: error) { try Nib(data: Self.archive(top, objects).utf8) }
    }

    /// A value of a binary property list.
    enum Value {
        case bytes([UInt8])
        case array([Int])
        case dictionary([(Int, Int)])
    }

    private static func bigEndian(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> (8 * $0)) : 0 }
    }

    /// Returns a property list whose references and offsets have the given size; the first value is the root.
    static func binaryList(_ values: [Value], size: Int) -> [UInt8] {
        var (bytes, offsets): ([UInt8], [UInt8]) = (Array("bplist00".utf8), [])
        for value in values {
            offsets += bigEndian(bytes.count, size)
            switch value {
            case .bytes(let found): bytes += found
            // A low nibble of fifteen means that an integer with the count follows.
            case .array(let places):
                bytes += [0xAF, 0x11] + bigEndian(places.count, 2) + places.flatMap { bigEndian($0, size) }
            case .dictionary(let entries):
                bytes +=
                    [0xD0 | UInt8(entries.count)]
                    + (entries.map(\.0) + entries.map(\.1)).flatMap { bigEndian($0, size) }
            }
        }
        return bytes + offsets + [0, 0, 0, 0, 0, 0, UInt8(size), UInt8(size)] + bigEndian(values.count, 8)
            + bigEndian(0, 8) + bigEndian(bytes.count, 8)
    }

    static let values: [Value] = [
        .dictionary([(1, 3), (2, 4)]), .bytes([0x54] + "$top".utf8), .bytes([0x58] + "$objects".utf8),
        .dictionary([(5, 6)]), .array([7, 8, 9, 10, 12]), .bytes([0x54] + "root".utf8), .bytes([0x80, 1]),
        .bytes([0x55] + "$null".utf8), .dictionary([(13, 14), (15, 16), (17, 18)]),
        .bytes([0x5F, 0x10, 16] + "a text in ASCII.".utf8), .bytes([0x62, 0xD8, 0x3D, 0xDE, 0x00]),
        .bytes([0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0]), .dictionary([(19, 5)]), .bytes([0x56] + "$class".utf8),
        .bytes([0x83, 0, 0, 0, 4]), .bytes([0x51] + "a".utf8), .bytes([0x14] + bigEndian(-2, 16).suffix(16)),
        .bytes([0x51] + "b".utf8), .array([6, 11, 20]), .bytes([0x5A] + "$classname".utf8), .bytes([0x44, 1, 2, 3, 4]),
    ]

    @Test("A binary property list is read with references of any size", arguments: [1, 2, 3, 4, 8])
    func referenceSizes(size: Int) throws {
        let nib = try Nib(data: Self.binaryList(Self.values, size: size))
        #expect(nib.keys == ["root", "a", "b", "NS.bytes"])
        #expect(nib.references.map(nib.className) == ["NSObject", "root", "NSString", "NSString"])
        #expect(nib.text(of: NibReference(2)) == "a text in ASCII.")
        #expect(nib.text(of: NibReference(3)) == "😀")
        let values = nib.entries(of: NibReference(1)).map(\.value)
        #expect(values == [.int8(-2), .object(NibReference(1)), .double(1.5), .data([1, 2, 3, 4])])
    }

    @Test("Property lists that refer to one large part many times are rejected without reading it many times")
    func sharedParts() throws {
        // Many objects refer to one dictionary with many values.
        var values = Self.values
        values[4] = .array([7] + Array(repeating: 8, count: 2_000) + [12])
        values[8] = .dictionary([(13, 14)] + Array(repeating: (5, 6), count: 13))
        values[14] = .bytes([0x81] + Self.bigEndian(2_001, 2))
        #expect(throws: NibError.malformed(.propertyList, offset: nil)) {
            try Nib(data: Self.binaryList(values, size: 2))
        }
        // A file with few such objects is accepted.
        values[4] = .array([7, 8, 8, 12])
        values[14] = .bytes([0x80, 3])
        #expect(try Nib(data: Self.binaryList(values, size: 2)).values.count == 27)
    }
}
