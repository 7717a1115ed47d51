// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NibArchive
import Testing

/// Tests of texts for translation, and of differences between interfaces.
struct ReviewTests {
    @Test("Translations change the text of one object, and not the equal text of another object")
    func translation() throws {
        let nib = try SampleNib.controller()
        #expect(nib.texts.map(\.identifier) == ["object7.UITitle", "object8.UITitle"])
        let translated = try Nib(data: nib.replacingTexts(["object8.UITitle": "Sichern"]).nibArchive)
        #expect(translated.texts.map(\.text) == ["Save", "Sichern"])
        #expect(nib.replacingTexts(["object8.UITitle": "Save"]) == nib)
        let difference = NibDifference(from: NibOutline(nib), to: NibOutline(translated))
        #expect(difference.lines.contains("~ UIView > FancyButton \"Save\": UITitle \"Save\" -> \"Sichern\""))
    }

    @Test("All texts of an interface can be restored from a translation file", arguments: TestData.archives)
    func roundTrip(row: TestData.Row) throws {
        let nib = try TestData.nib(row.file)
        let file = StringsFile(
            nib.texts.map { StringsFile.Entry(key: $0.identifier, text: "\"\($0.text)\\\n", comment: "*/") })
        let read = try StringsFile(reading: file.text)
        #expect(read.entries.map(\.key) == nib.texts.map(\.identifier))
        let translated = nib.replacingTexts(
            Dictionary(read.entries.map { ($0.key, $0.text) }) { first, _ in first })
        let again = try Nib(data: translated.nibArchive)
        #expect(again.texts.map(\.text) == nib.texts.map { "\"\($0.text)\\\n" })
        #expect(again.outlets == nib.outlets)
        // The only additional string is a shared one that all of its users have replaced.
        let strings = again.references.filter { again.text(of: $0) != nil }
        #expect(
            again.problems(in: again.nibArchive).allSatisfy { problem in
                guard case .unreachable(let object, _) = problem else { return false }
                return strings.contains(object)
            })
    }

    @Test("Translations match the interface they were exported from, and mismatches with others are listed")
    func problems() throws {
        let nib = try SampleNib.controller()
        let other = nib.replacingTexts(["object7.UITitle": "*/ \"Open\"\n"])
        let file = StringsFile(other.texts.map { StringsFile.Entry($0, class: "UIButton") })
        let read = try StringsFile(reading: file.text)
        #expect(other.problems(of: read).isEmpty)
        #expect(read.entries.map(\.original) == other.texts.map(\.text))
        #expect(
            nib.problems(of: read) == [
                .originalMismatch("object7.UITitle", expected: "*/ \"Open\"\n", found: nib.texts[0].text)
            ])
        let more = try StringsFile(
            reading: """
                /* Class = "NSButton"; title = "Save"; ObjectID = "8"; Note = "short"; */
                "object8.UITitle" = "Sichern";
                "object8.UITitle" = "Speichern"; /* A comment of another form. */
                "object9.UITitle" = "Neu";
                """)
        #expect(more.entries.map(\.original) == ["Save", nil, nil])
        #expect(nib.problems(of: more) == [.repeatedKey("object8.UITitle"), .unknownKey("object9.UITitle")])
    }

    @Test("A translation file is read with comments and escapes, and its errors have line numbers")
    func stringsFiles() throws {
        let file = try StringsFile(reading: "/* a\n */ \"k\\\"\" = \"\\U00e9\\n\\\\\"; // b\n\"l\"=\"\";")
        #expect(file.entries.map(\.key) == ["k\"", "l"])
        #expect(file.entries.map(\.text) == ["é\n\\", ""])
        #expect(try StringsFile(reading: #""a" = "\Ud83d\ude00";"#).entries.map(\.text) == ["😀"])
        for escape in ["+041", "d83d", "d83d\\U0041", "d83dU0041", "de00", "00e"] {
            #expect(throws: StringsFileError.malformed(line: 1)) {
                try StringsFile(reading: "\"a\" = \"\\U\(escape)\";")
            }
        }
        for (text, line) in [("\"a\" = \"b\"\n", 2), ("\"a\"\n= b;", 2), ("\"a", 1), ("\n/* a", 2), ("x", 1)] {
            #expect(throws: StringsFileError.malformed(line: line)) { try StringsFile(reading: text) }
        }
    }

    @Test("Two encodings of one interface do not differ, and each part of another interface does")
    func differences() throws {
        guard TestData.folder != nil else { return }
        let outlines = try ["keyedobjects-101300.nib", "keyedobjects.nib"].map {
            NibOutline(try TestData.nib("caffeine/English.lproj/MainMenu.nib/\($0)"))
        }
        #expect(NibDifference(from: outlines[0], to: outlines[1]).lines == [])
        let other = NibOutline(try TestData.nib("samples/correct/test1.nib"))
        let lines = NibDifference(from: outlines[0], to: other).lines
        #expect(lines.contains("- AppDelegate"))
        #expect(lines.contains { $0.hasPrefix("- action: NSMenuItem \"Quit\" -terminate:-> ") })
    }

    @Test("No compiled interface has a problem", arguments: TestData.archives)
    func problems(row: TestData.Row) throws {
        let bytes = try TestData.bytes(row.file)
        #expect(try Nib(data: bytes).problems(in: bytes) == [])
    }

    @Test("An unreachable object and a file that cannot be reproduced are reported as problems")
    func unusual() throws {
        var objects: [SampleNib.Object] = [("NSObject", []), ("NSView", [])]
        objects.append(("NSNibOutletConnector", []))
        let nib = try SampleNib.make(objects)
        #expect(
            nib.problems(in: nib.nibArchive + [0]) == [
                .unreachable(NibReference(1), className: "NSView"),
                .unreachable(NibReference(2), className: "NSNibOutletConnector"),
                .noDestination(className: "NSNibOutletConnector", label: ""),
                .noSource(className: "NSNibOutletConnector", label: ""), .noLabel(className: "NSNibOutletConnector"),
                .bytesMismatch(offset: nib.nibArchive.count),
            ])
    }

    @Test("A view is drawn at its frame, and texts cannot break out of their elements")
    func drawing() throws {
        let nib = try SampleNib.make([
            ("NSObject", [("UINibTopLevelObjectsKey", SampleNib.to(1)), ("UINibObjectsKey", SampleNib.to(1))]),
            SampleNib.array([2, 5]),
            (
                "UIView",
                [
                    ("UISubviews", SampleNib.to(3)), ("UIBounds", .data(SampleNib.doubles(0, 0, 100, 50))),
                    ("UICenter", .data(SampleNib.doubles(50, 25))),
                ]
            ),
            SampleNib.array([4, 2]),
            (
                "UILabel",
                [
                    ("UIText", SampleNib.to(6)), ("UIBounds", .data(SampleNib.doubles(0, 0, 80, 20))),
                    ("UICenter", .data(SampleNib.doubles(50, 15))),
                ]
            ),
            ("UIView", [("UIBounds", .data(SampleNib.doubles(0, 0, .infinity, 20)))]),
            SampleNib.text("</text><script>\u{1}"),
        ])
        #expect(
            nib.frame(of: NibReference(4))
                == NibRect(origin: NibPoint(x: 10, y: 5), size: NibSize(width: 80, height: 20)))
        let svg = try #require(NibDrawing.svg(of: nib))
        #expect(svg.contains("<svg x=\"10\" y=\"5\" width=\"80\" height=\"20\" overflow=\"visible\">"))
        #expect(!svg.contains("<script>"))
    }
}
