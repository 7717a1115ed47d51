// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A property that an outlet of a nib sets, and which has the outlet's name.
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

    /// Makes an outlet.
    ///
    /// - Parameters:
    ///   - label: The name in the nib; `nil`, the default, for the name of the property.
    ///   - strength: Whether the property keeps its object alive; it does by default.
    public init(_ label: String? = nil, _ strength: OutletStrength = .strong) {
        slot = OutletSlot(label: label, strength: strength)
    }

    /// Makes an outlet with the property's name that keeps its object alive.
    ///
    /// - Parameter wrappedValue: The object before the nib is instantiated; `nil` for none.
    public init(wrappedValue: Value?) {
        self.init()
        self.wrappedValue = wrappedValue
    }

    /// The object to which the outlet leads; `nil` before the nib is instantiated.
    public var wrappedValue: Value? {
        get { slot.object as? Value }
        nonmutating set { slot.object = newValue as AnyObject? }
    }
}

/// Whether an outlet keeps its object alive.
public enum OutletStrength: Sendable {
    /// The object lives as long as the property.
    case strong
    /// The property is `nil` once its object is gone, as for a delegate.
    case weak
}

/// A property that an outlet collection of a nib sets; the objects are in the order of the nib.
@propertyWrapper
public struct OutletCollection<Element> {
    private let slot: OutletCollectionSlot<Element>

    /// Makes an outlet collection.
    ///
    /// - Parameter label: The name in the nib; `nil`, the default, for the name of the property.
    public init(_ label: String? = nil) { slot = OutletCollectionSlot(label: label) }

    /// Makes an outlet collection with the property's name.
    ///
    /// - Parameter wrappedValue: The objects before the nib is instantiated.
    public init(wrappedValue: [Element]) {
        self.init()
        self.wrappedValue = wrappedValue
    }

    /// The objects to which the outlet collection leads; empty before the nib is instantiated.
    public var wrappedValue: [Element] {
        get { slot.elements }
        nonmutating set { slot.elements = newValue }
    }
}

/// Where an outlet is stored, found by reflection.
protocol AnyOutletSlot: AnyObject {
    var label: String? { get }
    var type: Any.Type { get }
    /// Whether all objects are of the outlet's type, in which case they are set.
    func set(_ objects: [AnyObject]) -> Bool
    /// Whether all objects are of the outlet's type, in which case they are set behind those that it has.
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

/// The outlets of an object and its superclasses by their names.
func outletSlots(of object: AnyObject) -> [String: any AnyOutletSlot] {
    var slots: [String: any AnyOutletSlot] = [:]
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
        for (name, value) in current.children {
            guard let slot = (value as? any HasOutletSlot)?.anySlot else { continue }
            // The storage of a wrapped property has its name behind an underscore.
            guard let label = slot.label ?? name.map({ String($0.drop { $0 == "_" }) }) else { continue }
            slots[label] = slot
        }
        mirror = current.superclassMirror
    }
    return slots
}
