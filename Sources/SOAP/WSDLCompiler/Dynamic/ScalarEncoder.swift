// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

/// Turns a string, number or boolean of JSON, or an array for a list, into a text that its type allows.
enum ScalarEncoder {
    /// The text of a value of a simple type, or of any text where there is none; a fixed text is the only one whose value is allowed.
    static func value(
        _ value: JSONValue, _ shape: SimpleShape?, at path: String, fixed: String? = nil
    ) throws(WSDLCompilerError) -> ElementTree.Value {
        switch value {
        case .bool(let value): return try text(value ? "true" : "false", shape, at: path, fixed)
        case .number(let digits):
            guard case .atomic(let type, _)? = shape, type.isNumber, type != .double, type != .float else {
                return try text(digits, shape, at: path, fixed)
            }
            guard let decimal = JSONNumber.decimal(digits) else {
                throw .value(path: path, .wrongKind(expected: "a number of at most 400 digits"))
            }
            return try text(type == .decimal ? decimal : JSONNumber.integer(decimal), shape, at: path, fixed)
        case .string(let string):
            guard case .atomic(.qName, _)? = shape else { return try text(string, shape, at: path, fixed) }
            return .name(try name(XMLName(clark: string), shape, at: path, fixed))
        case .array(let items):
            guard case .list(let item, _)? = shape else {
                throw .value(path: path, .wrongKind(expected: "a single value"))
            }
            var values: [ElementTree.Value] = []
            for (index, value) in items.enumerated() {
                values.append(try self.value(value, item, at: "\(path)[\(index)]"))
            }
            return try list(values, shape, at: path, fixed)
        case .null: throw .value(path: path, .null)
        case .object: throw .value(path: path, .wrongKind(expected: "a string, a number or a boolean"))
        }
    }

    private static func text(
        _ text: String, _ shape: SimpleShape?, at path: String, _ fixed: String?
    ) throws(WSDLCompilerError) -> ElementTree.Value {
        do throws(XMLValueError) {
            if let refused = text.firstCharacterOutsideXML { throw .character(refused) }
            return .text(try shape?.checked(text, in: XMLScope(), fixed: fixed) ?? text)
        } catch {
            throw .value(path: path, .invalid(error))
        }
    }

    /// A name, whose prefix is declared where it is written.
    private static func name(
        _ name: XMLName, _ shape: SimpleShape?, at path: String, _ fixed: String?
    ) throws(WSDLCompilerError) -> XMLName {
        do throws(XMLValueError) {
            if let refused = name.namespace.firstCharacterOutsideXML { throw .character(refused) }
            _ = try shape?.checked(name.local, in: XMLScope(), fixed: fixed)
            return name
        } catch {
            throw .value(path: path, .invalid(error))
        }
    }

    /// A list, whose items must be read as such again.
    private static func list(
        _ values: [ElementTree.Value], _ shape: SimpleShape?, at path: String, _ fixed: String?
    ) throws(WSDLCompilerError) -> ElementTree.Value {
        var texts: XMLList<String> = []
        for value in values {
            switch value {
            case .text(let text): texts.append(text)
            case .name(let name), .arrayType(let name, _): texts.append(name.local)
            case .list: throw .value(path: path, .wrongKind(expected: "a list of single values"))
            }
        }
        do throws(XMLValueError) {
            var scope = XMLScope()
            _ = try shape?.checked(texts.xmlText(in: &scope), in: scope, fixed: fixed)
        } catch {
            throw .value(path: path, .invalid(error))
        }
        return .list(values)
    }
}
