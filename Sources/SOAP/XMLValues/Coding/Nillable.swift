// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The state of an optional element that may also be null (`xsi:nil`).
public enum NillableElement<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The element is absent.
    case absent
    /// The element has `xsi:nil="true"`.
    case null
    /// The element has a value. It is stored in a box on the heap, so that a recursive struct has a finite size.
    indirect case value(Value)

    /// The value; `nil` for an absent and for a null element.
    public var value: Value? {
        guard case .value(let value) = self else { return nil }
        return value
    }
}

/// A property for an optional element that can also be null.
///
/// The value is `nil` for an absent and for a null element; the projection (`$name`) distinguishes the two. Setting the
/// property to `nil` makes the element absent; to make it null, set the projection to ``NillableElement/null``.
@propertyWrapper
public struct Nillable<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The state of the element.
    public var projectedValue: NillableElement<Value>

    /// The value; `nil` if the element is absent or null.
    ///
    /// Setting `nil` makes the element absent.
    public var wrappedValue: Value? {
        get { projectedValue.value }
        set { projectedValue = newValue.map(NillableElement.value) ?? .absent }
    }

    /// Creates a property with a value; for `nil`, the element is absent.
    public init(wrappedValue: Value?) { projectedValue = wrappedValue.map(NillableElement.value) ?? .absent }

    /// Creates a property with a state of the element.
    public init(projectedValue: NillableElement<Value>) { self.projectedValue = projectedValue }
}

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
