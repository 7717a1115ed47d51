// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The keys of a keyed archive, each with a number: its text is compared once, however many objects have it.
struct KeyedArchiveKeys {
    /// What a key means for the archive itself.
    enum Role: UInt8 {
        case `class`, className, elementKeys, elements, string, data, top, objectTable
        /// One that is an object's.
        case ordinary
    }

    private static let roles: [String: Role] = [
        "$class": .class, "$classname": .className, "NS.keys": .elementKeys, "NS.objects": .elements,
        "NS.string": .string, "NS.data": .data, "$top": .top, "$objects": .objectTable,
    ]

    private var keys: [(name: String, role: Role, index: Int32)] = []
    private var numbers: [String: Int32] = [:]
    /// The number of the key that each value of the property list is; zero where it was not compared yet, and otherwise one more.
    private var numbersOfValues: [Int32]
    /// The keys that the nib has, in the order in which its values use them.
    private(set) var used: [String] = []

    /// No keys, for a property list with some number of values.
    init(count: Int) { numbersOfValues = Array(repeating: 0, count: count) }

    /// The key that a value of the property list is, if it was compared before.
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

    /// The place of a key among those of the nib.
    mutating func index(of number: Int) -> Int {
        let index = keys[number].index
        guard index < 0 else { return Int(index) }
        keys[number].index = Int32(used.count)
        used.append(keys[number].name)
        return used.count - 1
    }
}
