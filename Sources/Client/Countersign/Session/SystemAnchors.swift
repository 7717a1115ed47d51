// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
import CertificateTrustNIOSSL
import NIOConcurrencyHelpers

/// The operating system's anchors, read once.
package final class SystemAnchors: Sendable {
    private let cached = NIOLockedValueBox<AnchorStore?>(nil)
    private let environment: [String: String]

    /// - Parameter environment: The environment variables that may replace the system's anchors.
    package init(environment: [String: String] = [:]) {
        self.environment = environment
    }

    /// Returns the variables of an environment that replace the system's anchors, as `NAME=VALUE`; `nil` if there are none.
    package static func variables(in environment: [String: String]) -> String? {
        AnchorVariables(environment)?.description
    }

    /// Returns the paths of the files that these variables name.
    package static func paths(in environment: [String: String]) -> [String] {
        AnchorVariables(environment)?.paths ?? []
    }

    /// Returns the system anchors that a policy uses; they are read when a policy first needs them.
    ///
    /// - Throws: ``SessionError`` of ``TrustError/noSystemAnchors(_:)`` if the policy has no other anchors, and of
    ///   ``TrustError/unusableAnchors(_:)``.
    package func store(for policy: TrustPolicy) throws -> AnchorStore {
        do throws(AnchorStoreError) {
            return try AnchorStore.system(for: policy, read: store)
        } catch .noSystemBundle(let locations) {
            throw SessionError.trust(.noSystemAnchors(locations))
        } catch {
            throw SessionError.trust(.unusableAnchors(error))
        }
    }

    private func store() throws(AnchorStoreError) -> AnchorStore {
        if let store = cached.withLockedValue({ $0 }) { return store }
        let store = try AnchorStore.system(environment: environment)
        cached.withLockedValue { $0 = store }
        return store
    }
}
