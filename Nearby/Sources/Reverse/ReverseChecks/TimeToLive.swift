// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// For how long records are usually kept, in seconds.
enum TimeToLive {
    static let shortest: UInt32 = 60
    static let longest: UInt32 = 604_800

    /// The time itself, or one in place of a time that is too short or too long.
    static func usual(_ time: UInt32) -> UInt32 { time < shortest ? 3_600 : time > longest ? 86_400 : time }
}
