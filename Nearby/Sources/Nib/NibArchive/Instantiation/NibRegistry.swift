// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Makes the objects of a nib's classes.
///
/// ```swift
/// var registry = NibRegistry()
/// registry.register("NSButton") { Button() }
/// registry.register("AppDelegate") { AppDelegate() }
/// ```
public struct NibRegistry {
    /// Whether a class without a factory, and a connection that an object cannot make, is an error.
    ///
    /// Otherwise such a class becomes a ``NibGenericObject``, and such a connection is among ``NibInstance/unconnected``.
    public var isStrict: Bool
    private var factories: [String: () throws -> AnyObject] = [:]

    /// Makes a registry without factories.
    ///
    /// - Parameter strict: Whether a class without a factory is an error; `false` by default.
    public init(strict: Bool = false) { isStrict = strict }

    /// Sets the factory of a class.
    ///
    /// The object is made before its values are decoded, so that objects can refer to each other in cycles. An object that is
    /// ``NibDecodable`` gets its values afterwards.
    ///
    /// - Parameters:
    ///   - className: The class's name in the nib, such as `NSButton` or `_TtC4Demo11AppDelegate`.
    ///   - make: Makes an object; an error that it throws ends the instantiation.
    public mutating func register(_ className: String, make: @escaping () throws -> AnyObject) {
        factories[className] = make
    }

    /// The factory of the first class that has one.
    func factory(for classNames: [String]) -> (() throws -> AnyObject)? {
        classNames.lazy.compactMap { factories[$0] }.first
    }
}
