// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An optional element that can also be there without a value (`xsi:nil`).
public enum NillableElement<Value: Sendable & Equatable>: Sendable, Equatable {
    /// There is no element.
    case absent
    /// The element has `xsi:nil="true"`.
    case null
    /// The element has a value. It is stored in a box on the heap, so that a recursive struct has a finite size.
    indirect case value(Value)

    /// The value, if there is one.
    public var value: Value? {
        guard case .value(let value) = self else { return nil }
        return value
    }
}

/// A property for an optional element that can also be null.
///
/// The property itself is the value or `nil`; its projection (`$name`) tells an absent element from a null one. Setting the property to `nil`
/// makes the element absent; set the projection to ``NillableElement/null`` for the other.
@propertyWrapper
public struct Nillable<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The state of the element.
    public var projectedValue: NillableElement<Value>

    /// The value, if there is one.
    public var wrappedValue: Value? {
        get { projectedValue.value }
        set { projectedValue = newValue.map(NillableElement.value) ?? .absent }
    }

    /// An element with a value, or none.
    public init(wrappedValue: Value?) { projectedValue = wrappedValue.map(NillableElement.value) ?? .absent }

    /// An element in a state.
    public init(projectedValue: NillableElement<Value>) { self.projectedValue = projectedValue }
}
