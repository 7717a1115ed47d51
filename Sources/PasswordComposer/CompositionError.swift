// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why no password can be composed.
@nonexhaustive
public enum CompositionError: Error, Hashable {
    /// The master password is empty.
    case noMaster
    /// The domain is empty.
    case noDomain
    /// Spectre needs the user's full name.
    case noLogin
    /// The mode does not make passwords of this length, in characters.
    case length(Int, allowed: ClosedRange<Int>)
    /// No class of characters was chosen.
    case noCharacterClass
    /// Counters start at 1.
    case counterZero
}
