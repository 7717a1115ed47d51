// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import EssentialFoundation

extension AnchorStore {
    /// The paths of the bundles on Debian and Alpine, Fedora, RHEL 7, openSUSE, and macOS.
    private static let systemLocations = [
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// Reads the operating system's anchors, for a `TrustEvaluator`; each call reads the file again.
    ///
    /// - Returns: The anchors of the first bundle that exists.
    /// - Throws: `AnchorStoreError.noSystemBundle` if no known path has a bundle with a readable certificate.
    public static func system() throws(AnchorStoreError) -> AnchorStore {
        for location in systemLocations {
            guard let data = try? Data(contentsOf: URL(filePath: location)) else { continue }
            if let store = try? AnchorStore(pemBundle: Array(data)) { return store }
        }
        throw .noSystemBundle(systemLocations)
    }

    /// Returns the system anchors that a policy uses; they are read only if the policy needs them.
    ///
    /// - Throws: The error of `read` if the policy has no other anchors.
    package static func system(
        for policy: TrustPolicy, read: () throws -> AnchorStore
    ) rethrows -> AnchorStore {
        switch policy.anchors {
        case .only: AnchorStore([])
        case .system: try read()
        // If the system has no anchors, those of the caller suffice.
        case .systemAnd: (try? read()) ?? AnchorStore([])
        }
    }
}

/// The operating system's public suffix list, if its package is installed.
package enum SystemPublicSuffixes {
    /// The paths of the list on Debian and Fedora; Homebrew has none.
    private static let locations = [
        "/usr/share/publicsuffix/public_suffix_list.dat", "/usr/share/publicsuffix/effective_tld_names.dat",
    ]

    /// The list, read once per process: it is a system file that does not change while a process runs, and contains no
    /// user data.
    private static let text: [UInt8]? = locations.lazy
        .compactMap { try? Data(contentsOf: URL(filePath: $0)) }.first.map { Array($0) }

    /// The suffixes that registries operate, below which a certificate may not have a wildcard.
    package static let list: PublicSuffixList? = text.map { PublicSuffixList($0) }

    /// The list with the suffixes that companies offer below their domains, for which no customer may set a cookie.
    package static let fullList: PublicSuffixList? = text.map { PublicSuffixList($0, sections: .all) }
}
