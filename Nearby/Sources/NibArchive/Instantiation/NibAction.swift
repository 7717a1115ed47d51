// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An object that actions are sent to.
public protocol NibActionTarget: AnyObject {
    /// What an action does; `nil` where the object does not have it.
    ///
    /// - Parameter selector: The action's name with its colon, such as `save:`.
    /// - Returns: What is called with the sender.
    func action(_ selector: String) -> ((AnyObject?) -> Void)?
}

/// An object that sends actions when it is used, such as a button.
public protocol NibActionSender: AnyObject {
    /// Called once for each action of the nib that the object sends.
    func bind(_ action: NibAction)
}

/// An action that a nib connects: who sends it, and to whom.
public struct NibAction {
    /// The action's name with its colon, such as `save:`.
    public let selector: String
    /// The mask of UIKit's control events that send it.
    public let events: Int64?
    /// Whether it goes to the First Responder.
    public let isForFirstResponder: Bool
    /// The control.
    public private(set) weak var sender: AnyObject?
    /// The object that gets it; `nil` for the First Responder.
    public private(set) weak var target: AnyObject?

    init(selector: String, events: Int64?, sender: AnyObject?, target: AnyObject?) {
        (self.selector, self.events, self.sender, self.target) = (selector, events, sender, target)
        isForFirstResponder = target == nil
    }

    /// Calls the target's action.
    ///
    /// - Parameter firstResponder: Who gets an action without a target.
    /// - Returns: Whether there was a target that has the action.
    @discardableResult
    public func send(firstResponder: (any NibActionTarget)? = nil) -> Bool {
        let target = isForFirstResponder ? firstResponder : target as? any NibActionTarget
        guard let action = target?.action(selector) else { return false }
        action(sender)
        return true
    }
}
