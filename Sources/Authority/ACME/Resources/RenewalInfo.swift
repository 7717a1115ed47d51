// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// When an authority wants a certificate to be renewed (RFC 9773 section 4.2).
public struct RenewalInfo: Codable, Hashable, Sendable {
    /// The period in which a client renews, at a random instant between its ends.
    public struct Window: Codable, Hashable, Sendable {
        /// The first instant at which to renew.
        public var start: Timestamp
        /// The last instant at which to renew.
        public var end: Timestamp

        /// A window by its ends.
        public init(start: Timestamp, end: Timestamp) { (self.start, self.end) = (start, end) }
    }

    /// When the certificate is to be renewed; a window in the past asks for renewal at once.
    public var suggestedWindow: Window
    /// The URL of a page that says why; `nil` if there is none.
    public var explanationURL: String?

    /// Makes the information about the renewal of a certificate.
    public init(suggestedWindow: Window, explanationURL: String? = nil) {
        (self.suggestedWindow, self.explanationURL) = (suggestedWindow, explanationURL)
    }

    /// Makes the window of a certificate of which only the period of validity is known.
    ///
    /// The window begins when a third of the period is left, or a half if the period is shorter than ten days. Its width is 2 % of the
    /// period, and one second at least.
    ///
    /// - Parameters:
    ///   - start: When the certificate begins to be valid.
    ///   - end: When the certificate expires.
    public init(validFrom start: Date, to end: Date) {
        let period = end.timeIntervalSince(start)
        let rest = period < 10 * 86_400 ? period / 2 : period / 3
        let from = end - rest
        // An empty window is not allowed, and instants are whole seconds.
        self.init(suggestedWindow: Window(start: Timestamp(from), end: Timestamp(from + max(period / 50, 1))))
    }

    /// Makes the window of a revoked certificate, which lies in the past: from two hours to one hour before the time.
    ///
    /// - Parameter now: The time.
    public init(revokedBefore now: Date) {
        self.init(suggestedWindow: Window(start: Timestamp(now - 7_200), end: Timestamp(now - 3_600)))
    }
}
