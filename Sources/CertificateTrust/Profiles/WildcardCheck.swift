// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// Whether a leaf is the host's only by a wildcard that spans the domains of strangers (Baseline Requirements section 3.2.2.6).
enum WildcardCheck {
    static func isNamedWithStrangers(
        _ leaf: ParsedCertificate, _ peers: [PeerName], _ publicSuffixes: PublicSuffixList
    ) -> Bool {
        let names = leaf.alternativeNames.value ?? []
        let owned = names.filter { !spansStrangers($0, publicSuffixes) }
        guard owned.count < names.count else { return false }
        return peers.contains { HostNameMatching.matches(names, $0) && !HostNameMatching.matches(owned, $0) }
    }

    private static func spansStrangers(_ name: GeneralName, _ publicSuffixes: PublicSuffixList) -> Bool {
        guard case .dnsName(let name) = name, name.hasPrefix("*.") else { return false }
        return publicSuffixes.isPublicSuffix(String(name.dropFirst(2)))
    }
}
