// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The keys of a keyed archive, each with a number, so that the text of a key is compared only once for all objects.
struct KeyedArchiveKeys {
    /// The meaning of a key in the archive format.
    enum Role: UInt8 {
        case `class`, className, elementKeys, elements, string, data, top, objectTable
        /// A key of an archived object.
        case ordinary
    }

    private static let roles: [String: Role] = [
        "$class": .class, "$classname": .className, "NS.keys": .elementKeys, "NS.objects": .elements,
        "NS.string": .string, "NS.data": .data, "$top": .top, "$objects": .objectTable,
    ]

    private var keys: [(name: String, role: Role, index: Int32)] = []
    private var numbers: [String: Int32] = [:]
    /// The key number of each property-list value, plus one; zero if the value has not been compared yet.
    private var numbersOfValues: [Int32]
    /// The keys of the nib, in order of first use.
    private(set) var used: [String] = []

    /// Creates an empty table for a property list with the given number of values.
    init(count: Int) { numbersOfValues = Array(repeating: 0, count: count) }

    /// Returns the key number of a property-list value, if the value was compared before.
    func number(ofValue value: Int) -> Int? {
        let number = numbersOfValues[value]
        return number == 0 ? nil : Int(number) - 1
    }

    mutating func add(_ name: String, value: Int) -> Int {
        let number = number(of: name)
        numbersOfValues[value] = Int32(number) + 1
        return number
    }

    mutating func number(of name: String) -> Int {
        if let number = numbers[name] { return Int(number) }
        numbers[name] = Int32(keys.count)
        keys.append((name, Self.roles[name] ?? .ordinary, -1))
        return keys.count - 1
    }

    func role(of number: Int) -> Role { keys[number].role }

    /// Returns the index of a key among the nib's keys.
    mutating func index(of number: Int) -> Int {
        let index = keys[number].index
        guard index < 0 else { return Int(index) }
        keys[number].index = Int32(used.count)
        used.append(keys[number].name)
        return used.count - 1
    }
}
