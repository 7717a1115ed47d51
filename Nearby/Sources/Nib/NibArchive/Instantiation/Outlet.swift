// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A property that is set by the outlet with the same name in a nib.
///
/// ```swift
/// final class AppDelegate {
///     @Outlet var menu: Menu?
///     @Outlet("window", .weak) var mainWindow: Window?
/// }
/// ```
/// The type is checked when the nib is instantiated.
@propertyWrapper
public struct Outlet<Value> {
    private let slot: OutletSlot<Value>

    /// Creates an outlet.
    ///
    /// - Parameters:
    ///   - label: The name in the nib; `nil`, the default, for the name of the property.
    ///   - strength: Whether the property keeps its object alive; strong by default.
    public init(_ label: String? = nil, _ strength: OutletStrength = .strong) {
        slot = OutletSlot(label: label, strength: strength)
    }

    /// Creates a strong outlet with the name of the property.
    ///
    /// - Parameter wrappedValue: The object before the nib is instantiated, or `nil`.
    public init(wrappedValue: Value?) {
        self.init()
        self.wrappedValue = wrappedValue
    }

    /// The connected object; `nil` before the nib is instantiated.
    public var wrappedValue: Value? {
        get { slot.object as? Value }
        nonmutating set { slot.object = newValue as AnyObject? }
    }
}

/// The reference strength of an outlet.
public enum OutletStrength: Sendable {
    /// The property keeps its object alive.
    case strong
    /// The property becomes `nil` when its object is deallocated, as for a delegate.
    case weak
}

/// A property that an outlet collection of a nib sets, with the objects in the order of the nib.
@propertyWrapper
public struct OutletCollection<Element> {
    private let slot: OutletCollectionSlot<Element>

    /// Creates an outlet collection.
    ///
    /// - Parameter label: The name in the nib; `nil`, the default, for the name of the property.
    public init(_ label: String? = nil) { slot = OutletCollectionSlot(label: label) }

    /// Creates an outlet collection with the name of the property.
    ///
    /// - Parameter wrappedValue: The objects before the nib is instantiated.
    public init(wrappedValue: [Element]) {
        self.init()
        self.wrappedValue = wrappedValue
    }

    /// The connected objects; empty before the nib is instantiated.
    public var wrappedValue: [Element] {
        get { slot.elements }
        nonmutating set { slot.elements = newValue }
    }
}

/// The storage of an outlet, found by reflection.
protocol AnyOutletSlot: AnyObject {
    var label: String? { get }
    var type: Any.Type { get }
    /// Replaces the objects and returns `true` if all objects have the outlet's type; otherwise returns `false`.
    func set(_ objects: [AnyObject]) -> Bool
    /// Appends the objects and returns `true` if all objects have the outlet's type; otherwise returns `false`.
    func add(_ objects: [AnyObject]) -> Bool
}

private protocol HasOutletSlot {
    var anySlot: any AnyOutletSlot { get }
}

extension Outlet: HasOutletSlot {
    fileprivate var anySlot: any AnyOutletSlot { slot }
}

extension OutletCollection: HasOutletSlot {
    fileprivate var anySlot: any AnyOutletSlot { slot }
}

private final class OutletSlot<Value>: AnyOutletSlot {
    let label: String?
    private let strength: OutletStrength
    private var strong: AnyObject?
    private weak var weak: AnyObject?

    init(label: String?, strength: OutletStrength) { (self.label, self.strength) = (label, strength) }

    var type: Any.Type { Value.self }

    var object: AnyObject? {
        get { strength == .strong ? strong : weak }
        set { if strength == .strong { strong = newValue } else { weak = newValue } }
    }

    func set(_ objects: [AnyObject]) -> Bool {
        guard objects.count == 1, objects[0] is Value else { return false }
        object = objects[0]
        return true
    }

    func add(_ objects: [AnyObject]) -> Bool { set(objects) }
}

private final class OutletCollectionSlot<Element>: AnyOutletSlot {
    let label: String?
    var elements: [Element] = []

    init(label: String?) { self.label = label }

    var type: Any.Type { [Element].self }

    func set(_ objects: [AnyObject]) -> Bool {
        let found = objects.compactMap { $0 as? Element }
        guard found.count == objects.count else { return false }
        elements = found
        return true
    }

    func add(_ objects: [AnyObject]) -> Bool {
        let before = elements
        guard set(objects) else { return false }
        elements = before + elements
        return true
    }
}

/// Returns the outlets of an object, including its superclasses, by name.
func outletSlots(of object: AnyObject) -> [String: any AnyOutletSlot] {
    var slots: [String: any AnyOutletSlot] = [:]
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
        for (name, value) in current.children {
            guard let slot = (value as? any HasOutletSlot)?.anySlot else { continue }
            // The storage property of a wrapped property has its name with a leading underscore.
            guard let label = slot.label ?? name.map({ String($0.drop { $0 == "_" }) }) else { continue }
            slots[label] = slot
        }
        mirror = current.superclassMirror
    }
    return slots
}
