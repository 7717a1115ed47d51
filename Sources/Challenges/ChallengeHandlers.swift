// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The registry that picks a handler by the method of a challenge.
public struct ChallengeHandlers: Sendable, ExpressibleByDictionaryLiteral {
    private var handlers: [AuthenticationMethod: any ChallengeHandler]

    /// Registers handlers by method; the last one counts where a method comes twice.
    public init(dictionaryLiteral elements: (AuthenticationMethod, any ChallengeHandler)...) {
        handlers = Dictionary(elements) { _, last in last }
    }

    /// The handler of a method; `nil` where the default is done.
    public subscript(method: AuthenticationMethod) -> (any ChallengeHandler)? {
        get { handlers[method] }
        set { handlers[method] = newValue }
    }
}
