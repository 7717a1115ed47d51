// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
import CertificateTrustNIOSSL
import NIOConcurrencyHelpers

/// The operating system's anchors, read once.
package final class SystemAnchors: Sendable {
    private let cached = NIOLockedValueBox<AnchorStore?>(nil)

    package init() {}

    /// Returns the anchors of the first bundle that exists.
    ///
    /// - Throws: ``SessionError`` of ``TrustError/noSystemAnchors(_:)``.
    func store() throws -> AnchorStore {
        try cached.withLockedValue { cached in
            if let cached { return cached }
            let store = try Self.read()
            cached = store
            return store
        }
    }

    /// Returns the system anchors that a policy uses; they are read when a policy first needs them.
    ///
    /// - Throws: ``SessionError`` of ``TrustError/noSystemAnchors(_:)`` if the policy has no other anchors.
    package func store(for policy: TrustPolicy) throws -> AnchorStore {
        try AnchorStore.system(for: policy, read: store)
    }

    private static func read() throws -> AnchorStore {
        do {
            return try AnchorStore.system()
        } catch .noSystemBundle(let locations) {
            throw SessionError.trust(.noSystemAnchors(locations))
        }
    }
}
