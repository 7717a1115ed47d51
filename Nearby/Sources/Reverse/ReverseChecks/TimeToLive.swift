// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The usual range of times to live, in seconds.
enum TimeToLive {
    static let shortest: UInt32 = 60
    static let longest: UInt32 = 604_800

    /// Returns the time itself, or a substitute for a time that is too short or too long.
    static func usual(_ time: UInt32) -> UInt32 { time < shortest ? 3_600 : time > longest ? 86_400 : time }
}
