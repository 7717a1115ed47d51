// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The factories of the classes of a nib.
///
/// ```swift
/// var registry = NibRegistry()
/// registry.register("NSButton") { Button() }
/// registry.register("AppDelegate") { AppDelegate() }
/// ```
public struct NibRegistry {
    /// Whether a class without a factory, and a connection that an object does not support, is an error.
    ///
    /// Otherwise such a class becomes a ``NibGenericObject``, and such a connection is added to
    /// ``NibInstance/unconnected``.
    public var isStrict: Bool
    private var factories: [String: () throws -> AnyObject] = [:]

    /// Creates a registry without factories.
    ///
    /// - Parameter strict: Whether a class without a factory is an error; `false` by default.
    public init(strict: Bool = false) { isStrict = strict }

    /// Sets the factory of a class.
    ///
    /// The object is created before its values are decoded, so that objects can refer to each other in cycles. A
    /// ``NibDecodable`` object decodes its values afterwards.
    ///
    /// - Parameters:
    ///   - className: The class's name in the nib, such as `NSButton` or `_TtC4Demo11AppDelegate`.
    ///   - make: Creates an object; an error that it throws stops the instantiation.
    public mutating func register(_ className: String, make: @escaping () throws -> AnyObject) {
        factories[className] = make
    }

    /// Returns the factory of the first class that has one.
    func factory(for classNames: [String]) -> (() throws -> AnyObject)? {
        classNames.lazy.compactMap { factories[$0] }.first
    }
}
