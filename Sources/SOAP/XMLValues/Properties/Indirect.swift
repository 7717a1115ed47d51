// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A property whose value is stored in a box on the heap, so that a recursive struct has a finite size.
@propertyWrapper
public struct Indirect<Value: Sendable & Equatable>: Sendable, Equatable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    /// The value.
    public var wrappedValue: Value {
        get { box.value }
        set { box = Box(newValue) }
    }

    /// Creates a property with a value.
    public init(wrappedValue: Value) { box = Box(wrappedValue) }

    /// Compares the values.
    public static func == (one: Self, other: Self) -> Bool { one.box === other.box || one.box.value == other.box.value }
}
