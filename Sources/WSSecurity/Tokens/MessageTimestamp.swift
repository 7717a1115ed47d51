// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// When a message was made, and until when it counts (SOAP Message Security 1.1 section 10).
public struct MessageTimestamp: Sendable, Hashable {
    /// How long the message counts, in seconds; 300 by default.
    public var lifetime: TimeInterval

    /// A timestamp with a lifetime.
    public init(lifetime: TimeInterval = 300) { self.lifetime = lifetime }

    /// The element.
    func element(identifier: String, at time: Date) -> String {
        """
        <wsu:Timestamp wsu:Id="\(identifier)"><wsu:Created>\(SecurityTime.text(time))</wsu:Created>\
        <wsu:Expires>\(SecurityTime.text(time + lifetime))</wsu:Expires></wsu:Timestamp>
        """
    }
}
