// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Scans the XML subset of Interface Builder and property lists: UTF-8, without namespaces and without declared
/// entities.
///
/// FoundationXML is unsuitable, because libxml2 expands entities that a document declares, and reports an error
/// only by its line.
struct XMLScanner {
    /// The maximum nesting level of elements; readers reject deeper nesting.
    static let maximumDepth = 200

    let bytes: [UInt8]
    private(set) var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns whether the bytes begin like an XML document.
    static func isXML(_ bytes: [UInt8]) -> Bool {
        var scanner = XMLScanner(bytes)
        _ = scanner.skip("\u{FEFF}")
        scanner.skipSpace()
        return scanner.byte == UInt8(ascii: "<")
    }

    /// Skips the prolog and returns the name of the document element.
    mutating func skipProlog() throws(NibError) -> String {
        _ = skip("\u{FEFF}")
        try skipOutside()
        guard byte != nil else { throw .unexpectedEnd(.xml, offset: index) }
        var ahead = self
        return string(try ahead.startTag().name)
    }

    /// Reads the end of the document, which may contain only comments, instructions and spaces.
    mutating func end() throws(NibError) {
        try skipOutside()
        guard byte == nil else { throw malformed }
    }

    /// Skips spaces, comments, instructions and a document type without declarations.
    private mutating func skipOutside() throws(NibError) {
        try skipBetween()
        while skip("<!DOCTYPE") {
            guard !bytes[try content(until: ">")].contains(UInt8(ascii: "[")) else { throw malformed }
            try skipBetween()
        }
    }

    /// Skips spaces, comments and instructions between elements.
    mutating func skipBetween() throws(NibError) {
        repeat { skipSpace() } while byte == UInt8(ascii: "<") ? try skipMarkup() : false
    }

    /// Skips a comment or an instruction, if there is one at the current position.
    private mutating func skipMarkup() throws(NibError) -> Bool {
        guard index + 1 < bytes.count else { return false }
        switch bytes[index + 1] {
        case UInt8(ascii: "?") where skip("<?"): _ = try content(until: "?>")
        case UInt8(ascii: "!") where skip("<!--"): _ = try content(until: "-->")
        default: return false
        }
        return true
    }

    /// A start tag: its name, and whether the element is empty.
    struct StartTag {
        var name: Range<Int>
        var isEmpty: Bool
        var attributes: [(name: String, value: String)] = []
    }

    mutating func startTag() throws(NibError) -> StartTag {
        guard byte == UInt8(ascii: "<") else { throw byte == nil ? .unexpectedEnd(.xml, offset: index) : malformed }
        index += 1
        var tag = StartTag(name: try name(), isEmpty: false)
        while byte != UInt8(ascii: ">") {
            skipSpace()
            tag.isEmpty = skip("/>")
            if tag.isEmpty { return tag }
            if byte == UInt8(ascii: ">") { break }
            try readAttribute(&tag.attributes)
        }
        index += 1
        return tag
    }

    private mutating func readAttribute(_ attributes: inout [(name: String, value: String)]) throws(NibError) {
        let name = try name()
        guard let attribute = String(validating: bytes[name], as: UTF8.self) else { throw malformed }
        skipSpace()
        guard skip("=") else { throw malformed }
        skipSpace()
        guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw malformed }
        index += 1
        // Interface Builder writes about a dozen attributes; a search through very many would take long.
        guard attributes.count < 100, !attributes.contains(where: { $0.name == attribute }) else { throw malformed }
        attributes.append((attribute, String(decoding: try value(until: quote), as: UTF8.self)))
    }

    /// Reads the end tag of the named element, if it is at the current position.
    mutating func endTag(_ name: Range<Int>) throws(NibError) -> Bool {
        guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "<"), bytes[index + 1] == UInt8(ascii: "/") else {
            return false
        }
        index += 2
        guard name.count < bytes.count - index, areEqual(name, index..<index + name.count) else { throw malformed }
        index += name.count
        skipSpace()
        guard byte == UInt8(ascii: ">") else { throw malformed }
        index += 1
        return true
    }

    private mutating func name() throws(NibError) -> Range<Int> {
        let start = index
        while let byte, !Self.endsName[Int(byte)] { index += 1 }
        guard index > start else { throw malformed }
        return start..<index
    }

    private static let endsName = (0...0xFF as ClosedRange<UInt8>).map { $0 <= 0x20 || "<>/='\"&;".utf8.contains($0) }

    /// Text up to the next tag.
    enum Text {
        /// Bytes of the file without escapes.
        case plain(Range<Int>)
        /// Decoded bytes of a text with references, CDATA sections, comments or instructions.
        case decoded([UInt8])
    }

    mutating func text() throws(NibError) -> Text {
        let start = index
        let first = try plainText()
        guard let byte else { throw .unexpectedEnd(.xml, offset: index) }
        guard byte == UInt8(ascii: "&") || index + 1 < bytes.count && Self.isMarkup(bytes[index + 1]) else {
            return .plain(first)
        }
        index = start
        var text: [UInt8] = []
        while true {
            text += bytes[try plainText()]
            guard let byte = self.byte else { throw .unexpectedEnd(.xml, offset: index) }
            if byte == UInt8(ascii: "&") {
                text += try reference().utf8
            } else if skip("<![CDATA[") {
                text += bytes[try validated(try content(until: "]]>"))]
            } else if !(try skipMarkup()) {
                return .decoded(text)
            }
        }
    }

    private static func isMarkup(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "!") || byte == UInt8(ascii: "?") }

    /// Reads text up to a tag or a reference.
    private mutating func plainText() throws(NibError) -> Range<Int> {
        let start = index
        var all: UInt8 = 0
        while index < bytes.count {
            let byte = bytes[index]
            guard byte != UInt8(ascii: "<"), byte != UInt8(ascii: "&") else { break }
            all |= byte
            index += 1
        }
        return all < 0x80 ? start..<index : try validated(start..<index)
    }

    /// Reads an attribute value and its closing quote.
    private mutating func value(until quote: UInt8) throws(NibError) -> [UInt8] {
        var value: [UInt8] = []
        while let byte, byte != quote {
            if byte == UInt8(ascii: "&") {
                value += try reference().utf8
            } else {
                value.append(byte)
                index += 1
            }
        }
        guard byte != nil else { throw .unexpectedEnd(.xml, offset: index) }
        guard String(validating: value, as: UTF8.self) != nil else { throw malformed }
        index += 1
        return value
    }

    private mutating func reference() throws(NibError) -> String {
        index += 1
        let start = index
        while let byte, byte != UInt8(ascii: ";"), index - start < 10 { index += 1 }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        guard skip(";") else { throw malformed }
        if let predefined = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][name] { return predefined }
        let number =
            name.hasPrefix("#x")
            ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
        guard let scalar = number.flatMap(Unicode.Scalar.init), scalar.value != 0 else { throw malformed }
        return String(scalar)
    }

    private mutating func content(until end: StaticString) throws(NibError) -> Range<Int> {
        let start = index
        while index < bytes.count {
            let stop = index
            if skip(end) { return start..<stop }
            index += 1
        }
        throw .unexpectedEnd(.xml, offset: index)
    }

    private func validated(_ range: Range<Int>) throws(NibError) -> Range<Int> {
        guard String(validating: bytes[range], as: UTF8.self) != nil else {
            throw .malformed(.xml, offset: range.lowerBound)
        }
        return range
    }

    /// Returns a name as a string; names are compared as bytes first.
    func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    var malformed: NibError { .malformed(.xml, offset: index) }

    /// Returns whether the file contains a text at an offset.
    func matches(_ text: StaticString, at start: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        guard count <= bytes.count - start else { return false }
        return text.withUTF8Buffer { literal in
            bytes.withUnsafeBytes {
                Self.areEqual(
                    UnsafeRawBufferPointer(rebasing: $0[start..<start + count]), UnsafeRawBufferPointer(literal))
            }
        }
    }

    /// Returns whether two ranges of the file have the same bytes.
    func areEqual(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
        bytes.withUnsafeBytes {
            Self.areEqual(UnsafeRawBufferPointer(rebasing: $0[first]), UnsafeRawBufferPointer(rebasing: $0[second]))
        }
    }

    /// Compares eight bytes at a time: tags and keys make up most of a property list.
    private static func areEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
        let count = first.count
        guard count == second.count else { return false }
        var place = 0
        while place + 8 <= count {
            guard
                first.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                    == second.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            else { return false }
            place += 8
        }
        while place < count {
            guard first[place] == second[place] else { return false }
            place += 1
        }
        return true
    }

    /// Skips a text, if it is at the current position.
    mutating func skip(_ text: StaticString) -> Bool {
        guard matches(text, at: index) else { return false }
        index += text.utf8CodeUnitCount
        return true
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x9...0xD).contains(byte) }

    mutating func skipSpace() {
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
    }

    /// Reads decimal digits, if there are any and they fit an integer.
    mutating func digits() -> Int64? {
        let start = index
        var number: Int64 = 0
        while index < bytes.count, index - start < 18, (0x30...0x39).contains(bytes[index]) {
            number = 10 * number + Int64(bytes[index] & 0xF)
            index += 1
        }
        return index > start ? number : nil
    }

    /// Returns the integer in a range of the file, if the range contains only a few decimal digits.
    func integer(_ range: Range<Int>) -> Int64? {
        var ahead = self
        ahead.index = range.lowerBound
        guard let number = ahead.digits(), ahead.index == range.upperBound else { return nil }
        return number
    }
}
