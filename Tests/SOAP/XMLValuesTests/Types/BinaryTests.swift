// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import XMLValues

@Suite struct BinaryTests {
    /// An attachment's content that must be read asynchronously, as from a file.
    private struct Pieces: XMLAttachmentContent {
        let pieces: [[UInt8]]
        var size: Int? { nil }

        func read(_ body: (ArraySlice<UInt8>) async throws -> Void) async throws {
            for piece in pieces { try await body(piece[...]) }
        }
    }

    private static let file = XMLAttachment(
        Pieces(pieces: [[1, 2], [], [3]]), contentType: "image/png", contentID: "a b@c")

    private func read(
        _ content: String, attachments: [XMLAttachment] = []
    ) throws -> XMLBinary {
        let text = "<v xmlns:x='\(XMLNamespace.include)'>\(content)</v>"
        let tree = try XMLTree(parsing: Array(text.utf8), limits: XMLLimits())
        let reader = try XMLReader(tree.root, of: tree) { id in attachments.first { $0.contentID == id } }
        return try reader.read(tree.root)
    }

    @Test("Random bytes are equal when read again", arguments: [0, 1, 2, 3, 4, 255, 1_000])
    func random(count: Int) throws {
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
        #expect(try XMLBinary.read(XMLBinary(bytes).text()).bytes == bytes)
        #expect(try XMLHexBinary.read(XMLHexBinary(bytes).text()).bytes == bytes)
    }

    @Test("Large values and attachments are moved out of the message if they are collected") func collects() throws {
        var writer = XMLWriter(attachments: XMLAttachmentCollector(threshold: 4))
        try writer.startElement("v")
        try writer.element("a", XMLBinary([1, 2, 3]))
        try writer.element("b", XMLBinary([1, 2, 3, 4]))
        try writer.element("c", XMLBinary(attachment: Self.file))
        try writer.element("d", XMLBinary(attachment: Self.file))
        try writer.endElement()
        let attachments = try #require(writer.attachments).attachments
        #expect(attachments.count == 2)
        #expect(attachments.first?.loaded == [1, 2, 3, 4])
        #expect(attachments.last == Self.file)
        #expect(writer.text.contains("<a>AQID</a>"))
        #expect(
            writer.text.contains("<c><xop:Include xmlns:xop=\"\(XMLNamespace.include)\" href=\"cid:a%20b@c\"/></c>"))
        let tree = try XMLTree(parsing: writer.bytes, limits: XMLLimits())
        var reader = try XMLReader(tree.root, of: tree) { id in attachments.first { $0.contentID == id } }
        #expect(try reader.element("a") == XMLBinary([1, 2, 3]))
        #expect(try reader.element("b") == XMLBinary([1, 2, 3, 4]))
        #expect(try reader.element("c") == XMLBinary(attachment: Self.file))
    }

    @Test("An attachment that is not in memory is loaded first") func loads() async throws {
        let value = XMLBinary(attachment: Self.file)
        #expect(throws: XMLValueError.attachmentNotLoaded("a b@c")) { try value.bytes }
        #expect(throws: XMLValueError.attachmentNotLoaded("a b@c", at: XMLPlace(path: "v", line: nil))) {
            try value.text()
        }
        #expect(try await value.load() == [1, 2, 3])
        await #expect(throws: XMLValueError.attachmentTooLarge(maximumByteCount: 2)) { try await value.load(upTo: 2) }
        #expect(value.size == nil)
        let loaded = XMLBinary(attachment: XMLAttachment([1, 2, 3]))
        #expect(try loaded.text() == "<v>AQID</v>")
        #expect(loaded == XMLBinary([1, 2, 3]))
        #expect(loaded != XMLBinary([1, 2]))
    }

    @Test("A reference must be to an attachment of the message") func references() throws {
        for href in ["cid:a%20b@c", "CID:a%20b%40c"] {
            #expect(
                try read("<x:Include href='\(href)'/>", attachments: [Self.file]) == XMLBinary(attachment: Self.file))
        }
        let place = XMLPlace(path: "v", line: 1)
        for href in [
            "file:///etc/passwd", "http://127.0.0.1/", "a@b", "", "cid:", "cid:%", "cid:%4", "cid:%zz", "cid:%ff", "#a",
        ] {
            #expect(throws: XMLValueError.attachmentReference(href, at: place)) {
                try read("<x:Include href='\(href)'/>", attachments: [Self.file])
            }
        }
        #expect(throws: XMLValueError.missingAttachment("other", at: place)) {
            try read("<x:Include href='cid:other'/>")
        }
        #expect(throws: XMLValueError.self) { try read("<x:Include/>") }
        #expect(throws: XMLValueError.self) {
            try read("<x:Include href='cid:a%20b@c'/><x:Include href='cid:a%20b@c'/>", attachments: [Self.file])
        }
        #expect(throws: XMLValueError.self) { try read("AQ<x:Include href='cid:a%20b@c'/>", attachments: [Self.file]) }
        #expect(throws: XMLValueError.self) { try read("<Include href='cid:a%20b@c'/>", attachments: [Self.file]) }
    }

    @Test("A content identifier is written as a cid URL", arguments: ["a@b", "ä/?#%", "<x> \u{1}"])
    func identifiers(id: String) {
        #expect(XMLContentID.id(XMLContentID.href(id)) == id)
        #expect(!XMLContentID.href(id).utf8.contains { $0 <= 0x20 || $0 >= 0x7F || "<>\"".utf8.contains($0) })
    }
}
