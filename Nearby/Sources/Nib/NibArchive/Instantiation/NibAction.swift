// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An object to which actions are sent.
public protocol NibActionTarget: AnyObject {
    /// Finds the function of an action.
    ///
    /// - Parameter selector: The action's name with its colon, such as `save:`.
    /// - Returns: The function, which is called with the sender; `nil` if the object does not have the action.
    func action(_ selector: String) -> ((AnyObject?) -> Void)?
}

/// An object that sends actions when it is used, such as a button.
public protocol NibActionSender: AnyObject {
    /// Takes an action of the nib that the object sends; called once for each.
    ///
    /// - Parameter action: The action, which the object keeps and sends when it is used.
    func bind(_ action: NibAction)
}

/// An action that a nib connects: its name, its sender and its target.
public struct NibAction {
    /// The action's name with its colon, such as `save:`.
    public let selector: String
    /// The mask of UIKit's control events that send the action; `nil` in AppKit's nibs.
    public let events: Int64?
    /// Whether the action goes to the First Responder.
    public let isForFirstResponder: Bool
    /// The object that sends the action, such as a button; `nil` once it is gone.
    public private(set) weak var sender: AnyObject?
    /// The object that gets the action; `nil` for the First Responder, and once the object is gone.
    public private(set) weak var target: AnyObject?

    init(selector: String, events: Int64?, sender: AnyObject?, target: AnyObject?) {
        (self.selector, self.events, self.sender, self.target) = (selector, events, sender, target)
        isForFirstResponder = target == nil
    }

    /// Calls the target's action.
    ///
    /// - Parameter firstResponder: The object that gets an action for the First Responder; `nil`, the default, for none.
    /// - Returns: Whether there is a target that has the action.
    @discardableResult
    public func send(firstResponder: (any NibActionTarget)? = nil) -> Bool {
        let target = isForFirstResponder ? firstResponder : target as? any NibActionTarget
        guard let action = target?.action(selector) else { return false }
        action(sender)
        return true
    }
}
