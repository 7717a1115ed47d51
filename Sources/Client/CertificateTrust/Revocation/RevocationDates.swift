// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// When lists and responses may be believed.
enum RevocationDates {
    /// How far clocks may be apart, in seconds.
    private static let skew: TimeInterval = 300
    /// How long a response holds that does not say, in seconds.
    ///
    /// RFC 6960 section 4.2.2.1 then promises newer information at any time, and RFC 5019 section 4 refuses it; private
    /// responders send such ones (OpenSSL 3.0 without `-ndays`), and a day bounds for how long one can be replayed.
    private static let unlimited: TimeInterval = 86400

    /// Whether an instant has come, as far as clocks agree.
    static func isPast(_ instant: Date, at time: Date) -> Bool { instant <= time + skew }

    static func end(thisUpdate: Date, nextUpdate: Date?) -> Date {
        nextUpdate ?? thisUpdate + unlimited
    }
}
