// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The handlers of a session, each for the challenges of one method.
public struct ChallengeHandlers: Sendable, ExpressibleByDictionaryLiteral {
    private var handlers: [AuthenticationMethod: any ChallengeHandler]

    /// Registers handlers by method.
    ///
    /// If a method occurs twice, its last handler is used.
    public init(dictionaryLiteral elements: (AuthenticationMethod, any ChallengeHandler)...) {
        handlers = Dictionary(elements) { _, last in last }
    }

    /// The handler of a method; `nil` where the session performs the default.
    public subscript(method: AuthenticationMethod) -> (any ChallengeHandler)? {
        get { handlers[method] }
        set { handlers[method] = newValue }
    }
}
