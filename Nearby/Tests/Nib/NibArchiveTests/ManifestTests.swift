// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NibArchive
import Testing

/// Tests that files compiled by Interface Builder match the manifest of the test data.
struct ManifestTests {
    @Test(
        "A NIBArchive has the objects, values, classes and connections of the manifest",
        arguments: TestData.archives)
    func contents(row: TestData.Row) throws {
        let nib = try TestData.nib(row.file)
        #expect(
            nib.encoding
                == .nibArchive(formatVersion: row.format_version ?? 0, coderVersion: row.coder_version ?? 0))
        #expect(nib.objects.count == row.objects)
        #expect(nib.keys.count == row.keys)
        #expect(nib.values.count == row.values)
        #expect(nib.classes.count == row.classes)
        let types = Dictionary(nib.values.map { (String($0.value.type), 1) }, uniquingKeysWith: +)
        #expect(types == row.value_types)
        #expect(Dictionary(nib.references.map { (nib.className(of: $0), 1) }, uniquingKeysWith: +) == row.class_counts)
        #expect(nib.outlets == row.outlets)
        #expect(nib.actions == row.actions)
    }

    @Test("Reading and writing a NIBArchive reproduces the same bytes", arguments: TestData.archives)
    func sameBytes(row: TestData.Row) throws {
        let bytes = try TestData.bytes(row.file)
        #expect(try Nib(data: bytes).nibArchive == bytes)
    }

    @Test("One interface has the same outlets and actions in its three encodings")
    func threeEncodings() throws {
        guard TestData.folder != nil else { return }
        let nibs = try ["keyedobjects-101300.nib", "keyedobjects.nib", "designable.nib"].map {
            try TestData.nib("caffeine/English.lproj/MainMenu.nib/\($0)")
        }
        for nib in nibs.dropFirst() {
            #expect(nib.outlets.sortedByText == nibs[0].outlets.sortedByText)
            #expect(nib.actions.sortedByText == nibs[0].actions.sortedByText)
        }
        // The keyed archive also has the same objects, except that equal strings are repeated.
        let counts = nibs.map { nib in
            Dictionary(nib.references.map { (nib.className(of: $0), 1) }, uniquingKeysWith: +)
                .filter { $0.key != "NSString" }
        }
        #expect(counts[0] == counts[1])
        #expect(nibs.map { $0.hierarchy.topLevel.count } == [11, 11, 11])
    }

    @Test(
        "An interface has the same connections before and after compilation by Interface Builder",
        arguments: TestData.archives)
    func sources(row: TestData.Row) throws {
        guard let source = row.source, source.hasSuffix(".xib") else { return }
        let (nib, document) = (try TestData.nib(row.file), try TestData.nib(source))
        #expect(document.outlets.sortedByText == nib.outlets.sortedByText)
        #expect(document.actions.sortedByText == nib.actions.sortedByText)
    }
}

extension [[String?]] {
    /// The connections sorted by text, because their order differs between encodings.
    fileprivate var sortedByText: [String] { map { $0.map { $0 ?? "-" }.joined(separator: " ") }.sorted() }
}
