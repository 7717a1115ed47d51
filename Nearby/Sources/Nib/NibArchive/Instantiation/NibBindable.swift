// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An object whose properties can be bound to key paths of other objects, as with Cocoa bindings.
///
/// Key-value observing exists only on Apple platforms, so the class itself must observe the values: the nib describes
/// the bindings, and this protocol passes them on.
public protocol NibBindable: AnyObject {
    /// Binds a property; called once for each binding of the object, after all outlets and actions are set and before
    /// `awakeFromNib`.
    ///
    /// A binding that depends on another one of the same object, as `enabled2` depends on `enabled`, comes after it.
    ///
    /// - Parameters:
    ///   - binding: The bound property, such as `value`.
    ///   - object: The object to which the key path is relative.
    ///   - keyPath: A key path such as `values.ActivateOnLaunch`.
    ///   - options: The options by name, such as `NSNegateBoolean`: a `Bool`, `Int`, `Double` or `String`.
    /// - Throws: Any error, which stops the instantiation.
    func bind(_ binding: String, to object: AnyObject, keyPath: String, options: [String: Any]) throws
}
