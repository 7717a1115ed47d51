// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An XML property list: a table of its values, and a table of the numbers of nested values.
struct XMLPropertyList: PropertyListSource {
    private(set) var root = 0
    private var scanner: XMLScanner
    private var values: [PropertyListValue] = []
    /// The elements of each array, and the keys of each dictionary, each followed by its value.
    private var children: [UInt32] = []
    /// The children of the arrays and dictionaries that are still open.
    private var open: [UInt32] = []
    /// Texts that differ from their bytes in the file, and data.
    private var decoded: [[UInt8]] = []
    private var keys: [Key] = []
    private var keyNumbers: [String: Int] = [:]
    /// The most recent key.
    private var lastKey = 0

    private struct Key {
        let value: UInt32
        /// The range of the key's text in the file, if its bytes are unescaped.
        let text: Range<Int>?
        /// The key that followed this one last time; it usually follows again, and comparing is faster than a lookup.
        var next = 0
    }

    var count: Int { values.count }

    func value(_ number: Int) -> PropertyListValue { values[number] }

    func element(_ position: Int, of array: PropertyListElements) -> Int { Int(children[array.start + position]) }

    func key(_ position: Int, of dictionary: PropertyListElements) -> Int {
        Int(children[dictionary.start + 2 * position])
    }

    func value(_ position: Int, of dictionary: PropertyListElements) -> Int {
        Int(children[dictionary.start + 2 * position + 1])
    }

    func bytes(of text: PropertyListText) -> [UInt8] {
        text.form == .decoded ? decoded[text.range.lowerBound] : Array(scanner.bytes[text.range])
    }

    /// Reads the property list at the scanner's position.
    init(_ scanner: XMLScanner) throws(NibError) {
        self.scanner = scanner
        // References make up most of a keyed archive, at about sixty bytes each.
        values.reserveCapacity(scanner.bytes.count / 64)
        children.reserveCapacity(scanner.bytes.count / 64)
        let list = try self.scanner.startTag()
        guard !list.isEmpty else { throw .noArchive }
        try self.scanner.skipBetween()
        guard !(try self.scanner.endTag(list.name)) else { throw .noArchive }
        root = Int(try value(level: 1))
        try self.scanner.skipBetween()
        guard try self.scanner.endTag(list.name) else { throw self.scanner.malformed }
        try self.scanner.end()
    }
}

extension XMLPropertyList {
    /// Reads the value at the scanner's position and returns its number.
    private mutating func value(level: Int) throws(NibError) -> UInt32 {
        let start = scanner.index
        guard level < XMLScanner.maximumDepth else { throw .tooDeep(limit: XMLScanner.maximumDepth, offset: start) }
        if let uid = reference() { return add(.uid(uid)) }
        let tag = try scanner.startTag()
        switch tag.name.count {
        case 4 where scanner.matches("dict", at: tag.name.lowerBound): return try dictionary(tag, level, start)
        case 5 where scanner.matches("array", at: tag.name.lowerBound): return try array(tag, level)
        case 6 where scanner.matches("string", at: tag.name.lowerBound):
            return add(.string(text(try content(of: tag))))
        default: return add(try scalar(tag, start))
        }
    }

    private mutating func add(_ value: PropertyListValue) -> UInt32 {
        values.append(value)
        return UInt32(values.count - 1)
    }

    /// Reads a keyed archive's reference as Foundation encodes it: XML has no type for it.
    private mutating func reference() -> Int? {
        var ahead = scanner
        guard ahead.skip("<dict>") else { return nil }
        ahead.skipSpace()
        guard ahead.skip("<key>CF$UID</key>") else { return nil }
        ahead.skipSpace()
        guard ahead.skip("<integer>"), let number = ahead.digits(), ahead.skip("</integer>") else { return nil }
        ahead.skipSpace()
        guard ahead.skip("</dict>") else { return nil }
        scanner = ahead
        return Int(number)
    }

    private mutating func array(_ tag: XMLScanner.StartTag, _ level: Int) throws(NibError) -> UInt32 {
        let first = open.count
        while !tag.isEmpty {
            try scanner.skipBetween()
            if try scanner.endTag(tag.name) { break }
            open.append(try value(level: level + 1))
        }
        return add(.array(closed(first, perElement: 1)))
    }

    private mutating func dictionary(
        _ tag: XMLScanner.StartTag, _ level: Int, _ start: Int
    ) throws(NibError) -> UInt32 {
        let first = open.count
        while !tag.isEmpty {
            try scanner.skipBetween()
            if try scanner.endTag(tag.name) { break }
            let keyStart = scanner.index
            let keyTag = try scanner.startTag()
            guard keyTag.name.count == 3, scanner.matches("key", at: keyTag.name.lowerBound) else {
                throw .malformed(.propertyList, offset: keyStart)
            }
            open.append(key(try content(of: keyTag)))
            try scanner.skipBetween()
            // A key without a value precedes the end tag.
            guard !(try scanner.endTag(tag.name)) else { throw .malformed(.propertyList, offset: start) }
            open.append(try value(level: level + 1))
        }
        if open.count == first + 2, case .string(let key) = values[Int(open[first])],
            bytes(of: key) == Array("CF$UID".utf8), case .integer(let number) = values[Int(open[first + 1])],
            let uid = Int(exactly: number), uid >= 0
        {
            open.removeLast(2)
            return add(.uid(uid))
        }
        return add(.dictionary(closed(first, perElement: 2)))
    }

    /// Moves the children of a closed collection to the table.
    private mutating func closed(_ first: Int, perElement: Int) -> PropertyListElements {
        let elements = PropertyListElements(start: children.count, count: (open.count - first) / perElement)
        children.append(contentsOf: open[first...])
        open.removeSubrange(first...)
        return elements
    }

    /// Returns the text of an element without child elements.
    private mutating func content(of tag: XMLScanner.StartTag) throws(NibError) -> XMLScanner.Text {
        guard !tag.isEmpty else { return .plain(tag.name.upperBound..<tag.name.upperBound) }
        let text = try scanner.text()
        guard try scanner.endTag(tag.name) else { throw .malformed(.propertyList, offset: scanner.index) }
        return text
    }

    private mutating func text(_ text: XMLScanner.Text) -> PropertyListText {
        switch text {
        case .plain(let range):
            return PropertyListText(start: range.lowerBound, count: range.count, form: .plain)
        case .decoded(let bytes): return store(bytes)
        }
    }

    private mutating func store(_ bytes: [UInt8]) -> PropertyListText {
        decoded.append(bytes)
        return PropertyListText(start: decoded.count - 1, count: 0, form: .decoded)
    }

    /// Returns the number of a key; equal keys have the same number.
    private mutating func key(_ text: XMLScanner.Text) -> UInt32 {
        if case .plain(let range) = text, !keys.isEmpty {
            let next = keys[lastKey].next
            if let expected = keys[next].text, scanner.areEqual(expected, range) {
                lastKey = next
                return keys[next].value
            }
        }
        let name = string(text)
        let number = keyNumbers[name] ?? keys.count
        if number == keys.count {
            keyNumbers[name] = number
            let range: Range<Int>? = if case .plain(let range) = text { range } else { nil }
            keys.append(Key(value: add(.string(self.text(text))), text: range))
        }
        keys[lastKey].next = number
        lastKey = number
        return keys[number].value
    }

    private func string(_ text: XMLScanner.Text) -> String {
        switch text {
        case .plain(let range): scanner.string(range)
        case .decoded(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Reads a value that is neither a collection nor a text.
    private mutating func scalar(
        _ tag: XMLScanner.StartTag, _ start: Int
    ) throws(NibError) -> PropertyListValue {
        let malformed = NibError.malformed(.propertyList, offset: start)
        let content = try content(of: tag)
        switch (scanner.bytes[tag.name.lowerBound], tag.name.count) {
        case (UInt8(ascii: "t"), 4) where scanner.matches("true", at: tag.name.lowerBound): return .bool(true)
        case (UInt8(ascii: "f"), 5) where scanner.matches("false", at: tag.name.lowerBound): return .bool(false)
        case (UInt8(ascii: "i"), 7) where scanner.matches("integer", at: tag.name.lowerBound):
            guard let value = integer(content) else { throw malformed }
            return .integer(value)
        case (UInt8(ascii: "r"), 4) where scanner.matches("real", at: tag.name.lowerBound):
            guard let value = Double(trimmed(content)) else { throw malformed }
            return .real(value)
        case (UInt8(ascii: "d"), 4) where scanner.matches("data", at: tag.name.lowerBound):
            guard let data = Data(base64Encoded: string(content), options: .ignoreUnknownCharacters) else {
                throw malformed
            }
            return .data(store(Array(data)))
        case (UInt8(ascii: "d"), 4) where scanner.matches("date", at: tag.name.lowerBound):
            guard let date = try? Date(trimmed(content), strategy: .iso8601) else { throw malformed }
            return .date(date.timeIntervalSinceReferenceDate)
        default: throw malformed
        }
    }

    /// Parses a decimal integer, or a hexadecimal integer after `0x`.
    private func integer(_ content: XMLScanner.Text) -> Int64? {
        if case .plain(let range) = content, let number = scanner.integer(range) { return number }
        let text = trimmed(content)
        return text.hasPrefix("0x") ? Int64(text.dropFirst(2), radix: 16) : Int64(text)
    }

    private func trimmed(_ content: XMLScanner.Text) -> String {
        let bytes =
            switch content {
            case .plain(let range): scanner.bytes[range]
            case .decoded(let bytes): bytes[...]
            }
        let end = bytes.lastIndex { !XMLScanner.isSpace($0) } ?? bytes.startIndex - 1
        return String(decoding: bytes[..<(end + 1)].drop(while: XMLScanner.isSpace), as: UTF8.self)
    }
}
