// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NibArchive
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tests of damaged and malicious files.
struct MalformedNibTests {
    /// Returns small files of the three encodings, or files created by the tests if there is no test data.
    private static func seeds() throws -> [[UInt8]] {
        var seeds = [
            try SampleNib.controller().nibArchive, Array(xmlArchive.utf8), Array(designArchive.utf8), smallList,
        ]
        if TestData.folder != nil {
            seeds.append(try TestData.bytes("samples/correct/minimal.nib"))
            seeds.append(try TestData.bytes("samples/correct/minimal.xib"))
        }
        return seeds
    }

    /// A keyed archive as an XML property list.
    static let xmlArchive = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict>
        <key>$archiver</key><string>NSKeyedArchiver</string>
        <key>$top</key><dict><key>IB.objectdata</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
        <key>$objects</key><array><string>$null</string>
        <dict><key>$class</key><dict><key>CF$UID</key><integer>2</integer></dict>
          <key>NSConnections</key><dict><key>CF$UID</key><integer>3</integer></dict><key>NSFlags</key><integer>-300</integer></dict>
        <dict><key>$classname</key><string>NSIBObjectData</string></dict>
        <dict><key>$class</key><dict><key>CF$UID</key><integer>4</integer></dict>
          <key>NS.objects</key><array><dict><key>CF$UID</key><integer>5</integer></dict></array></dict>
        <dict><key>$classname</key><string>NSArray</string></dict>
        <dict><key>$class</key><dict><key>CF$UID</key><integer>6</integer></dict>
          <key>NSLabel</key><dict><key>CF$UID</key><integer>7</integer></dict><key>NSSource</key><dict><key>CF$UID</key><integer>0</integer></dict></dict>
        <dict><key>$classname</key><string>NSNibOutletConnector</string></dict>
        <string>a &lt; b &#x1F600;</string>
        <data>AAEC</data><real>1.5</real><true/><date>2001-01-01T00:01:00Z</date>
        </array></dict></plist>
        """

    /// An archive in the XML format of Interface Builder up to version 3.
    static let designArchive = """
        <?xml version="1.0"?><archive type="com.apple.InterfaceBuilder3.Cocoa.XIB" version="8.00"><data>
        <int key="IBDocument.SystemTarget">1060</int>
        <object class="NSMutableArray" key="IBDocument.RootObjects" id="1"><bool key="EncodedWithXMLCoder">YES</bool>
          <object class="NSCustomObject" id="2"><string key="NSClassName">AppDelegate</string></object>
          <object class="NSWindowTemplate" id="3"><string key="NSWindowTitle">Main</string></object>
          <object class="NSButton" id="4"/></object>
        <object class="IBObjectContainer" key="IBDocument.Objects"><array class="NSMutableArray" key="connectionRecords">
          <object class="IBConnectionRecord"><object class="IBOutletConnection" key="connection"><string key="label">window</string>
            <reference key="source" ref="2"/><reference key="destination" ref="3"/></object></object>
          <object class="IBConnectionRecord"><object class="IBActionConnection" key="connection"><string key="label">save:</string>
            <reference key="source" ref="2"/><reference key="destination" ref="4"/></object></object></array>
          <object class="IBMutableOrderedSet" key="objectRecords"><array key="orderedObjects">
            <object class="IBObjectRecord"><int key="objectID">1</int><reference key="object" ref="3"/><nil key="parent"/></object>
            <object class="IBObjectRecord"><int key="objectID">2</int><reference key="object" ref="4"/><reference key="parent" ref="3"/></object>
          </array></object></object></data></archive>
        """

    /// A binary property list with `$top` and `$objects`, which contains an ASCII text, a UTF-16 text and a number.
    static let smallList: [UInt8] = {
        let objects: [[UInt8]] = [
            [0xD2, 1, 2, 3, 4], [0x54] + "$top".utf8, [0x58] + "$objects".utf8, [0xD1, 5, 6], [0xA3, 7, 8, 9],
            [0x51] + "a".utf8, [0x80, 1], [0x55] + "$null".utf8, [0x61, 0x26, 0x03], [0x11, 0x01, 0x00],
        ]
        var (bytes, offsets): ([UInt8], [UInt8]) = (Array("bplist00".utf8), [])
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        return bytes + offsets + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
            + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, table]
    }()

    @Test("Keyed archives are read from both kinds of property lists")
    func propertyLists() throws {
        let nib = try Nib(data: Self.xmlArchive.utf8)
        #expect(nib.encoding == .xmlPropertyList)
        #expect(nib.outlets == [[nil, "a < b 😀", nil]])
        #expect(nib.value("NSFlags", of: NibReference(1)) == .int16(-300))
        #expect(nib.value("NS.bytes", of: NibReference(5)) == .data([0, 1, 2]))
        #expect(nib.value("NS.dblval", of: NibReference(6)) == .double(1.5))
        #expect(nib.value("NS.boolval", of: NibReference(7)) == .bool(true))
        #expect(nib.value("NS.time", of: NibReference(8)) == .double(60))
        // The nib written as a NIBArchive is unchanged.
        let written = try Nib(data: nib.nibArchive)
        #expect(written.objects == nib.objects && written.values == nib.values && written.keys == nib.keys)

        let small = try Nib(data: Self.smallList)
        #expect(small.string("a", of: NibReference(0)) == "☃")
        #expect(small.value("NS.intval", of: NibReference(2)) == .int16(256))
    }

    @Test("The XML of Interface Builder up to version 3 has outlets, actions and an object tree")
    func designArchives() throws {
        let nib = try Nib(data: Self.designArchive.utf8)
        #expect(nib.outlets == [["NSCustomObject", "window", "NSWindowTemplate"]])
        #expect(nib.actions == [["NSButton", "save:", "NSCustomObject"]])
        #expect(nib.hierarchy.topLevel.map(nib.label) == ["NSWindow \"Main\""])
        #expect(nib.hierarchy.topLevel.flatMap(nib.hierarchy.children).map(nib.className) == ["NSButton"])
    }

    static let errors: [(change: [Int: UInt8], error: NibError)] = [
        ([0: 0x58], .unknownEncoding),
        ([10: 2], .unsupportedVersion(2)),
        ([21: 0xFF], .unexpectedEnd(.object, offset: 1_000)),
        ([29: 0xFF], .unexpectedEnd(.key, offset: 1_000)),
        ([37: 0xFF], .unexpectedEnd(.value, offset: 1_000)),
        ([45: 0xFF], .unexpectedEnd(.class, offset: 1_000)),
        ([50: 0xFF], .badIndex(.class, index: 127, offset: 50)),
        ([51: 0xFF, 52: 0xFF], .badIndex(.value, index: 254, offset: 50)),
    ]

    @Test("Each kind of damage has its own error, with an offset", arguments: errors)
    func offsets(change: [Int: UInt8], error: NibError) throws {
        var bytes = try SampleNib.controller().nibArchive
        for (index, byte) in change { bytes[index] = byte }
        #expect {
            try Nib(data: bytes)
        } throws: { found in
            // The error has no exact offset, because the table does not know the end of the file.
            if case .unexpectedEnd(let part, _) = error {
                return found as? NibError == .unexpectedEnd(part, offset: bytes.count)
            }
            return found as? NibError == error
        }
    }

    @Test("Documents and property lists without an archive, or made to exhaust a reader, are rejected")
    func harmful() {
        let deep = String(repeating: "<array>", count: 100_000)
        for (text, isExpected) in [
            ("<plist><string>a</string></plist>", { $0 == .noArchive }),
            ("<html/>", { $0 == .noArchive }),
            ("", { $0 == .unexpectedEnd(.header, offset: 0) }),
            ("NIBArch", { $0 == .unexpectedEnd(.header, offset: 7) }),
            ("bplist0", { $0 == .unexpectedEnd(.header, offset: 7) }),
            ("bplist01", { $0 == .unknownEncoding }),
            ("<plist>\(deep)", { if case .tooDeep = $0 { true } else { false } }),
            (
                "<!DOCTYPE a [<!ENTITY b \"c\">]><plist>&b;</plist>",
                { if case .malformed(.xml, _) = $0 { true } else { false } }
            ),
            ("<plist>&b;</plist>", { if case .malformed(.xml, 7) = $0 { true } else { false } }),
            ("<plist><dict></plist>", { if case .malformed(.xml, _) = $0 { true } else { false } }),
        ] as [(String, (NibError) -> Bool)] {
            #expect {
                try Nib(data: text.utf8)
            } throws: { ($0 as? NibError).map(isExpected) == true }
        }
        // All objects share all values.
        let header: [UInt8] = Array("NIBArchive".utf8) + [1, 0, 0, 0, 9, 0, 0, 0]
        let objects = Array(repeating: [0x80, 0x80, 0x68, 0x87] as [UInt8], count: 200).flatMap(\.self)
        let values = Array(repeating: [0x80, 9] as [UInt8], count: 1_000).flatMap(\.self)
        let tables = [(200, objects), (1, [0x81, 0x61]), (1_000, values), (1, [0x81, 0x80, 0])] as [(Int, [UInt8])]
        var (words, offset): ([UInt8], Int) = ([], 50)
        for (count, table) in tables {
            for number in [count, offset] { words += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
            offset += table.count
        }
        let shared = header + words + tables.flatMap { $0.1 }
        #expect { try Nib(data: shared) } throws: {
            if case .malformed(.object, _)? = $0 as? NibError { true } else { false }
        }
        // The root is an array that contains itself.
        var cycle = Self.smallList
        cycle[8] = 0xA4
        cycle[9] = 0
        #expect(throws: NibError.noArchive) { try Nib(data: cycle) }
    }

    @Test("A file with any byte flipped or truncated anywhere is either rejected or usable")
    func mutations() throws {
        for seed in try Self.seeds() {
            for index in seed.indices {
                for mask in [0x01, 0x80, 0xFF] as [UInt8] {
                    var bytes = seed
                    bytes[index] ^= mask
                    Self.use(bytes)
                }
                Self.use(Array(seed.prefix(index)))
            }
        }
    }

    /// Tests random changes of valid files; `NIB_FUZZ_SECONDS` sets a longer duration.
    @Test("A file with random changes is either read or rejected")
    func fuzz() throws {
        var seeds = try Self.seeds()
        let seconds = ProcessInfo.processInfo.environment["NIB_FUZZ_SECONDS"].flatMap(Double.init)
        if seconds != nil { seeds += try TestData.rows.map { try TestData.bytes($0.file) } }
        var random = SystemRandomNumberGenerator()
        let end = Date(timeIntervalSinceNow: seconds ?? 3)
        var count = 0
        while Date() < end {
            guard var bytes = seeds.randomElement(using: &random) else { return }
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let index = Int.random(in: 0..<max(bytes.count, 1), using: &random)
                guard index < bytes.count else { break }
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[index] = .random(in: 0...255, using: &random)
                case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...16, using: &random)))
                case 3: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 16)], at: index)
                default: bytes[index] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
                }
            }
            Self.use(bytes)
            count += 1
        }
        if seconds != nil { print("nib fuzzing: \(count) inputs") }
    }

    /// Reads bytes, and performs all operations on the resulting nib.
    private static func use(_ bytes: [UInt8]) {
        guard let nib = try? Nib(data: bytes) else { return }
        _ = nib.nibArchive
        _ = NibOutline(nib).text(withValues: true)
        _ = NibDrawing.svg(of: nib)
        _ = nib.problems(in: bytes)
        _ = nib.replacingTexts(Dictionary(nib.texts.map { ($0.identifier, "x") }) { first, _ in first })
        _ = try? nib.instantiate(owner: Owner())
    }

    private final class Owner {}
}
