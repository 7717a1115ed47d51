// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Reads the XML format of Interface Builder up to version 3: a keyed archive with elements for types, keys and
/// references.
struct DesignArchiveReader {
    private var builder = NibBuilder()
    private var identified: [String: NibReference] = [:]

    /// Returns the nib of an `archive` element.
    static func nib(of archive: XMLElement) throws(NibError) -> Nib {
        guard let data = archive.child("data") else { throw .noArchive }
        var reader = DesignArchiveReader()
        let root = reader.builder.reserve()
        reader.reserve(data)
        reader.builder.define(root, "NSObject", try reader.entries(of: data))
        return try reader.builder.nib(.designableXML)
    }

    private mutating func reserve(_ element: XMLElement) {
        if let id = element["id"] { identified[id] = builder.reserve() }
        element.children.forEach { reserve($0) }
    }

    private mutating func entries(of element: XMLElement) throws(NibError) -> [(key: String, value: NibValue)] {
        var entries: [(key: String, value: NibValue)] = []
        for child in element.children where child["key"] != "EncodedWithXMLCoder" {
            entries.append((child["key"] ?? Nib.emptyKey, try value(of: child)))
        }
        return entries
    }

    private mutating func value(of element: XMLElement) throws(NibError) -> NibValue {
        let malformed = NibError.malformed(.xml, offset: element.offset)
        switch element.name {
        case "nil": return .nil
        case "bool", "boolean": return .bool((element["value"] ?? element.text) == "YES")
        case "int", "integer":
            guard let value = Int64(element["value"] ?? element.text) else { throw malformed }
            return .integer(value)
        case "double", "real", "float":
            guard let value = Double(element["value"] ?? element.text) else { throw malformed }
            return .double(value)
        case "reference":
            // A reference without an identifier is `nil`.
            guard let identifier = element["ref"] else { return .nil }
            guard let reference = identified[identifier] else { throw malformed }
            return .object(reference)
        case "string", "characters", "bytes":
            return define(element, "NSString", [("NS.bytes", .data(Array(element.text.utf8)))])
        case "array": return define(element, element["class"] ?? "NSArray", try entries(of: element))
        case "set": return define(element, element["class"] ?? "NSSet", try entries(of: element))
        case "dictionary": return define(element, element["class"] ?? "NSDictionary", try entries(of: element))
        case "object":
            guard let name = element["class"] else { throw malformed }
            return define(element, name, try entries(of: element))
        default: return .nil
        }
    }

    private mutating func define(
        _ element: XMLElement, _ className: String, _ entries: [(key: String, value: NibValue)]
    ) -> NibValue {
        let reference = element["id"].flatMap { identified[$0] } ?? builder.reserve()
        builder.define(reference, className, entries)
        return .object(reference)
    }
}
