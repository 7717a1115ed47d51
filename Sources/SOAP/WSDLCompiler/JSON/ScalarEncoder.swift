// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
internal import XMLDocuments
internal import XMLValues

/// Converts a JSON string, number or boolean, or an array for a list, to a text that its type allows.
enum ScalarEncoder {
    /// Returns the text of a value; `shape` is the simple type, or `nil` to allow any text, and `fixed` is the only
    /// allowed value, if any.
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

    /// Checks a qualified name, whose prefix is declared when it is written.
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

    /// Checks a list, whose items must remain separate items when they are read again.
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

/// Conversions between JSON and XML Schema numbers.
enum JSONNumber {
    /// Converts an XML Schema number to JSON; `nil` if JSON cannot represent it, as for infinity.
    static func literal(_ text: String) -> String? {
        var text = text[...]
        if text.hasPrefix("+") { text = text.dropFirst() }
        let isNegative = text.hasPrefix("-")
        if isNegative { text = text.dropFirst() }
        // Bytes are compared for speed: a message may contain a number of any length, and refer to it many times.
        let parts = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
            .map(Substring.init)
        guard let mantissa = parts.first else { return nil }
        let digits = mantissa.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
            .map(Substring.init)
        var integerPart = String(digits[0].drop { $0 == "0" })
        let fraction = digits.count == 2 ? String(digits[1]) : ""
        guard !(digits[0].isEmpty && fraction.isEmpty), (digits[0] + fraction).utf8.allSatisfy(isDigit) else {
            return nil
        }
        if integerPart.isEmpty { integerPart = "0" }
        var result = (isNegative ? "-" : "") + integerPart + (fraction.isEmpty ? "" : "." + fraction)
        if parts.count == 2 {
            let exponent = parts[1]
            let unsigned = exponent.hasPrefix("-") || exponent.hasPrefix("+") ? exponent.dropFirst() : exponent
            guard !unsigned.isEmpty, unsigned.utf8.allSatisfy(isDigit) else { return nil }
            result += "e" + exponent
        }
        return result
    }

    /// Expands a JSON number to an XML Schema decimal without an exponent; `nil` if the decimal is too long.
    static func decimal(_ text: String) -> String? {
        let parts = text.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
        guard parts.count == 2, let mantissa = parts.first else { return text }
        guard let exponent = Int(parts[1].hasPrefix("+") ? parts[1].dropFirst() : parts[1]),
            (-400...400).contains(exponent)
        else {
            return nil
        }
        let isNegative = mantissa.hasPrefix("-")
        let digits = (isNegative ? mantissa.dropFirst() : mantissa).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        var all = digits.joined()
        var point = digits[0].count + exponent
        if point <= 0 {
            all = String(repeating: "0", count: 1 - point) + all
            point = 1
        } else if point > all.count {
            all += String(repeating: "0", count: point - all.count)
        }
        let place = all.index(all.startIndex, offsetBy: point)
        var integerPart = String(all[..<place].drop { $0 == "0" })
        if integerPart.isEmpty { integerPart = "0" }
        let fraction = String(all[place...].reversed().drop { $0 == "0" }.reversed())
        return (isNegative ? "-" : "") + integerPart + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// Removes a fraction of zeros, which XML Schema integers do not allow: 2.0 is an integer in JSON.
    static func integer(_ decimal: String) -> String {
        let parts = decimal.split(separator: ".", maxSplits: 1)
        return parts.count == 2 && parts[1].allSatisfy { $0 == "0" } ? String(parts[0]) : decimal
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
