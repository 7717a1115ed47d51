// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What was sent ahead of the form that it belongs to; the oldest gives way.
struct Uploads<Value: Sendable>: Sendable {
    private var values: [(name: String, value: Value)] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Returns: The name that the form brings, which no one can guess; and what gave way.
    mutating func keep(_ value: Value) -> (name: String, dropped: [Value]) {
        let name = BrowserAccess.randomText()
        values.append((name, value))
        let count = max(0, values.count - limit)
        defer { values.removeFirst(count) }
        return (name, values.prefix(count).map(\.value))
    }

    subscript(name: String?) -> Value? { values.first { $0.name == name }?.value }

    /// - Returns: What is kept no more.
    mutating func removeAll() -> [Value] {
        defer { values = [] }
        return values.map(\.value)
    }

    mutating func remove(_ name: String?) { values.removeAll { $0.name == name } }
}
