// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A value of a JSON Schema, written as a literal.
enum SchemaValue: Encodable {
    case text(String)
    case number(Double)
    case boolean(Bool)
    case list([SchemaValue])
    case mapping([String: SchemaValue])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .boolean(let boolean): try container.encode(boolean)
        case .list(let elements): try container.encode(elements)
        case .mapping(let members): try container.encode(members)
        }
    }

    /// The mapping with more members; the value itself where it is no mapping.
    func adding(_ more: [String: SchemaValue]) -> SchemaValue {
        guard case .mapping(let members) = self else { return self }
        return .mapping(members.merging(more) { $1 })
    }
}

extension SchemaValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral text: String) { self = .text(text) }
    init(integerLiteral number: Int) { self = .number(Double(number)) }
    init(booleanLiteral boolean: Bool) { self = .boolean(boolean) }
    init(arrayLiteral elements: SchemaValue...) { self = .list(elements) }
    init(dictionaryLiteral members: (String, SchemaValue)...) { self = .mapping(Dictionary(members) { $1 }) }
}
