// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a password cannot be composed.
@nonexhaustive
public enum CompositionError: Error, Hashable {
    /// The master password is empty.
    case noMaster
    /// The domain is empty.
    case noDomain
    /// The login is empty, and Spectre needs the user's full name there.
    case noLogin
    /// The mode does not make passwords of this length, in characters.
    case length(Int, allowed: ClosedRange<Int>)
    /// No class of characters is chosen.
    case noCharacterClass
    /// The counter is 0; counters start at 1.
    case counterZero
}
