// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
import EssentialFoundation
import NIOConcurrencyHelpers

/// The operating system's anchors, read once.
package final class SystemAnchors: Sendable {
    /// The paths of the bundles on Debian and Alpine, Fedora, RHEL 7, openSUSE, and macOS.
    static let locations = [
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

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
        switch policy.anchors {
        case .only: AnchorStore([])
        case .system: try store()
        // If the system has no anchors, those of the caller suffice.
        case .systemAnd: (try? store()) ?? AnchorStore([])
        }
    }

    private static func read() throws -> AnchorStore {
        for location in locations {
            guard let data = try? Data(contentsOf: URL(filePath: location)) else { continue }
            if let store = try? AnchorStore(pemBundle: Array(data)) { return store }
        }
        throw SessionError.trust(.noSystemAnchors(locations))
    }
}
