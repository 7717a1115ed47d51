// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// Turns a string, number or boolean of JSON, or an array for a list, into text.
enum ScalarEncoder {
    static func value(
        _ value: JSONValue, _ shape: SimpleShape?, at path: String
    ) throws(WSDLCompilerError) -> ElementTree.Value {
        switch value {
        case .bool(let value): return .text(value ? "true" : "false")
        case .number(let digits):
            guard case .atomic(let type, _)? = shape, type.isNumber, type != .double, type != .float else {
                return .text(digits)
            }
            guard let decimal = JSONNumber.decimal(digits) else {
                throw .value(path: path, .wrongKind(expected: "a number of at most 400 digits"))
            }
            return .text(decimal)
        case .string(let text):
            guard case .atomic(.qName, _)? = shape else { return .text(text) }
            return .name(XMLName(clark: text))
        case .array(let items):
            guard case .list(let item, _)? = shape else {
                throw .value(path: path, .wrongKind(expected: "a single value"))
            }
            var values: [ElementTree.Value] = []
            for (index, value) in items.enumerated() {
                values.append(try self.value(value, item, at: "\(path)[\(index)]"))
            }
            return .list(values)
        case .null: throw .value(path: path, .null)
        case .object: throw .value(path: path, .wrongKind(expected: "a string, a number or a boolean"))
        }
    }
}
