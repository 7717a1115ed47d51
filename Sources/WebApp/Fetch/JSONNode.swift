// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value of JSON as the page shows it: a line, or a list that opens.
struct JSONNode {
    private(set) var key: String?
    /// Of a value without values in it.
    private(set) var value: String?
    /// What the value is: `text`, `number`, `word` or `list`.
    private(set) var kind: String
    /// How many values are in it, in words.
    private(set) var count: String?
    private(set) var children: [JSONNode] = []

    /// More is not shown: a browser opens a long page slowly.
    private static let limit = 2_000
    private static let depthLimit = 60

    /// - Returns: `nil` for what is no JSON.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONDecoder().decode(Value.self, from: Data(bytes)) else { return nil }
        var budget = Self.limit
        self.init(value, key: nil, depth: 0, &budget)
    }

    private init(_ value: Value, key: String?, depth: Int, _ budget: inout Int) {
        self.key = key?.printable
        budget -= 1
        switch value {
        case .list where depth > Self.depthLimit, .object where depth > Self.depthLimit:
            (kind, self.value) = ("word", "…")
        case .null: (kind, self.value) = ("word", "null")
        case .bool(let value): (kind, self.value) = ("word", value ? "true" : "false")
        case .number(let value): (kind, self.value) = ("number", value)
        case .text(let value): (kind, self.value) = ("text", "\"\(value.printable)\"")
        case .list(let values):
            (kind, count) = ("list", "[\(values.count)]")
            for (index, value) in values.enumerated() where budget > 0 {
                children.append(JSONNode(value, key: String(index), depth: depth + 1, &budget))
            }
        case .object(let values):
            (kind, count) = ("list", "{\(values.count)}")
            for (key, value) in values.sorted(by: { $0.key < $1.key }) where budget > 0 {
                children.append(JSONNode(value, key: key, depth: depth + 1, &budget))
            }
        }
    }

    private enum Value: Decodable {
        case null
        case bool(Bool)
        case number(String)
        case text(String)
        case list([Value])
        case object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(String.self) {
                self = .text(value)
            } else if let value = try? container.decode(Int.self) {
                self = .number(String(value))
            } else if let value = try? container.decode(Double.self) {
                self = .number("\(value)")
            } else if let values = try? container.decode([Value].self) {
                self = .list(values)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }
    }
}
