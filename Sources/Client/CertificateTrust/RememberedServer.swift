// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The remembered key of a server, for ``TrustPolicy/Validation/firstUse``.
public struct RememberedServer: Hashable, Sendable, Codable {
    /// The key of the server's certificate, a pin of kind ``Pin/Kind/publicKey``.
    public let key: Pin
    /// When the key was first seen.
    public let since: Date

    /// Remembers a server.
    ///
    /// - Parameters:
    ///   - key: The key of the server's certificate, a pin of kind ``Pin/Kind/publicKey``.
    ///   - since: When the key was first seen.
    public init(key: Pin, since: Date) {
        self.key = key
        self.since = since
    }
}
