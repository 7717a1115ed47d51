// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The times at which a message is created and expires (SOAP Message Security 1.1 section 10).
public struct MessageTimestamp: Sendable, Hashable {
    /// The time from the creation of the message to its expiration, in seconds; 300 by default.
    public var lifetime: TimeInterval

    /// Creates a timestamp whose message expires after a lifetime in seconds.
    public init(lifetime: TimeInterval = 300) { self.lifetime = lifetime }

    /// The element.
    func element(identifier: String, at time: Date) -> String {
        """
        <wsu:Timestamp wsu:Id="\(identifier)"><wsu:Created>\(SecurityTime.text(time))</wsu:Created>\
        <wsu:Expires>\(SecurityTime.text(time + lifetime))</wsu:Expires></wsu:Timestamp>
        """
    }
}
