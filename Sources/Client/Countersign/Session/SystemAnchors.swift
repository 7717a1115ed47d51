// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
import EssentialFoundation
import NIOConcurrencyHelpers

/// The operating system's anchors, read once.
package final class SystemAnchors: Sendable {
    /// Where bundles lie: Debian and Alpine, Fedora, RHEL 7, openSUSE, macOS.
    static let locations = [
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    private let cached = NIOLockedValueBox<AnchorStore?>(nil)

    package init() {}

    /// The anchors of the first bundle that there is.
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

    /// What the system adds to a policy; read when a policy first needs it.
    ///
    /// - Throws: ``SessionError`` of ``TrustError/noSystemAnchors(_:)`` where the policy has nothing else.
    package func store(for policy: TrustPolicy) throws -> AnchorStore {
        switch policy.anchors {
        case .only: AnchorStore([])
        case .system: try store()
        // What the caller added is enough to go on with where the system has nothing.
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
