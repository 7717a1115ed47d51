// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An object whose properties can be kept equal to what key paths of other objects lead to, as Cocoa bindings do.
///
/// There is no key-value observing outside Apple's systems, so the class has to observe: a nib says what is bound, and this protocol takes it.
public protocol NibBindable: AnyObject {
    /// Called once for each binding of the object, after all outlets and actions are set and before `awakeFromNib`.
    ///
    /// A binding that needs another one of the same object, as `enabled2` needs `enabled`, comes after it.
    ///
    /// - Parameters:
    ///   - binding: The property that is bound, such as `value`.
    ///   - object: The object at which the key path begins.
    ///   - keyPath: A key path such as `values.ActivateOnLaunch`.
    ///   - options: The options by their names, such as `NSNegateBoolean`: a `Bool`, `Int`, `Double` or `String`.
    /// - Throws: Any error, which ends the instantiation.
    func bind(_ binding: String, to object: AnyObject, keyPath: String, options: [String: Any]) throws
}
