// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// Whether a leaf is the host's only by a wildcard that spans the domains of strangers (Baseline Requirements section 3.2.2.6).
enum WildcardCheck {
    /// A name and a wildcard are all that a peer can be called by; more are repetitions.
    private static let limit = 4

    static func isNamedWithStrangers(
        _ leaf: ParsedCertificate, _ peers: [PeerName], _ publicSuffixes: () -> PublicSuffixList?
    ) -> Bool {
        let names = leaf.alternativeNames.value ?? []
        guard names.contains(where: \.isWildcard) else { return false }
        return peers.contains { peer in
            // Only the names that are the peer's are looked up: a certificate may bring thousands of others.
            let matching = names.lazy.filter { HostNameMatching.matches([$0], peer) }
            return matching.first != nil
                && matching.prefix(Self.limit).allSatisfy { spansStrangers($0, publicSuffixes) }
        }
    }

    private static func spansStrangers(_ name: GeneralName, _ publicSuffixes: () -> PublicSuffixList?) -> Bool {
        guard name.isWildcard, case .dnsName(let name) = name, let publicSuffixes = publicSuffixes() else {
            return false
        }
        return publicSuffixes.isPublicSuffix(String(name.dropFirst(2)))
    }
}

extension GeneralName {
    fileprivate var isWildcard: Bool {
        if case .dnsName(let name) = self { name.utf8.starts(with: "*.".utf8) } else { false }
    }
}
