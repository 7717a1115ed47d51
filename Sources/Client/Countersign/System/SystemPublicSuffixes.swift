// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The public suffix list that the operating system has, where its package is installed.
package enum SystemPublicSuffixes {
    /// Debian and Fedora; Homebrew has none.
    private static let locations = [
        "/usr/share/publicsuffix/public_suffix_list.dat", "/usr/share/publicsuffix/effective_tld_names.dat",
    ]

    /// Read once a process: it is a file of the system's that never changes while one runs, and nothing of a user's.
    private static let text: [UInt8]? = locations.lazy
        .compactMap { try? Data(contentsOf: URL(filePath: $0)) }.first.map { Array($0) }

    /// What registries run, below which no wildcard of a certificate may stand.
    package static let list: PublicSuffixList? = text.map { PublicSuffixList($0) }

    /// The list with the suffixes that companies offer below their domains, for which no customer may set a cookie.
    package static let wholeList: PublicSuffixList? = text.map { PublicSuffixList($0, sections: .all) }
}
