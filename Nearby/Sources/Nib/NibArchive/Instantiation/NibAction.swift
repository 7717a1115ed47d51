// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An object to which actions are sent.
public protocol NibActionTarget: AnyObject {
    /// Returns the function for an action.
    ///
    /// - Parameter selector: The action's name with its colon, such as `save:`.
    /// - Returns: The function, which is called with the sender; `nil` if the object does not have the action.
    func action(_ selector: String) -> ((AnyObject?) -> Void)?
}

/// An object that sends actions when the user operates it, such as a button.
public protocol NibActionSender: AnyObject {
    /// Adds one of the nib's actions to the object; called once for each action.
    ///
    /// - Parameter action: The action to store, and to send when the user operates the object.
    func bind(_ action: NibAction)
}

/// An action connection of a nib: its selector, sender and target.
public struct NibAction {
    /// The action's name with its colon, such as `save:`.
    public let selector: String
    /// The mask of the UIKit control events that send the action; `nil` in AppKit nibs.
    public let events: Int64?
    /// Whether the action goes to the First Responder.
    public let isForFirstResponder: Bool
    /// The object that sends the action, such as a button; `nil` after it is deallocated.
    public private(set) weak var sender: AnyObject?
    /// The object that receives the action; `nil` for the First Responder, and after the object is deallocated.
    public private(set) weak var target: AnyObject?

    init(selector: String, events: Int64?, sender: AnyObject?, target: AnyObject?) {
        (self.selector, self.events, self.sender, self.target) = (selector, events, sender, target)
        isForFirstResponder = target == nil
    }

    /// Sends the action to its target.
    ///
    /// - Parameter firstResponder: The receiver of an action for the First Responder; `nil`, the default, for none.
    /// - Returns: Whether there is a target that supports the action.
    @discardableResult
    public func send(firstResponder: (any NibActionTarget)? = nil) -> Bool {
        let target = isForFirstResponder ? firstResponder : target as? any NibActionTarget
        guard let action = target?.action(selector) else { return false }
        action(sender)
        return true
    }
}
