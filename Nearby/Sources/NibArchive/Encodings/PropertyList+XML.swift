// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PropertyList {
    /// What an XML property list holds; its `plist` element is given.
    init(_ plist: XMLElement) throws(NibError) {
        guard let root = plist.children.first else { throw .noArchive }
        self = try Self.value(of: root)
    }

    /// The reader of XML bounds how deep this goes.
    private static func value(of element: XMLElement) throws(NibError) -> PropertyList {
        let malformed = NibError.malformed(.propertyList, offset: element.offset)
        switch element.name {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "string": return .string(element.text)
        case "integer":
            guard let value = integer(element.text) else { throw malformed }
            return .integer(value)
        case "real":
            guard let value = Double(trimmed(element.text)) else { throw malformed }
            return .real(value)
        case "data":
            guard let data = Data(base64Encoded: element.text, options: .ignoreUnknownCharacters) else {
                throw malformed
            }
            return .data(Array(data))
        case "date":
            guard let date = try? Date(trimmed(element.text), strategy: .iso8601) else { throw malformed }
            return .date(date.timeIntervalSinceReferenceDate)
        case "array":
            var elements: [PropertyList] = []
            for child in element.children { elements.append(try value(of: child)) }
            return .array(elements)
        case "dict":
            guard element.children.count.isMultiple(of: 2) else { throw malformed }
            var entries: [(key: String, value: PropertyList)] = []
            for index in stride(from: 0, to: element.children.count, by: 2) {
                guard element.children[index].name == "key" else { throw malformed }
                entries.append((element.children[index].text, try value(of: element.children[index + 1])))
            }
            // XML has no type for references.
            if let first = entries.first, entries.count == 1, first.key == "CF$UID",
                case .integer(let number) = first.value, let uid = Int(exactly: number)
            {
                return .uid(uid)
            }
            return .dictionary(entries)
        default: throw malformed
        }
    }

    /// Decimal, or hexadecimal after `0x`.
    private static func integer(_ text: String) -> Int64? {
        let text = trimmed(text)
        return text.hasPrefix("0x") ? Int64(text.dropFirst(2), radix: 16) : Int64(text)
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
