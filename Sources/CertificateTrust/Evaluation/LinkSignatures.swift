// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The signatures that a search has checked, each once.
struct LinkSignatures {
    /// A certificate, and one that may have issued it.
    struct Link: Hashable {
        let issued: ParsedCertificate
        let issuer: ParsedCertificate

        static func == (one: Self, other: Self) -> Bool {
            one.issued === other.issued && one.issuer === other.issuer
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(issued))
            hasher.combine(ObjectIdentifier(issuer))
        }
    }

    private var checked: [Link: Bool] = [:]

    /// How many have been checked, which is what costs.
    var count: Int { checked.count }

    /// Whether the issuer's key made the signature.
    mutating func holds(_ link: Link) -> Bool {
        if let known = checked[link] { return known }
        let isValid = link.issued.isSigned(by: link.issuer)
        checked[link] = isValid
        return isValid
    }

    /// Whether any issuer's signature on it was found good.
    func haveProved(_ issued: ParsedCertificate) -> Bool {
        checked.contains { $0.key.issued === issued && $0.value }
    }
}
