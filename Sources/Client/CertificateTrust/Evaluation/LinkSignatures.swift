// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The signatures that a search has checked, each once.
struct LinkSignatures {
    /// A certificate, and one that may have issued it.
    struct Link {
        let issued: ParsedCertificate
        let issuer: ParsedCertificate
    }

    private static let usualCount = 4

    /// At most as many as a search checks, so that looking through them costs less than hashing.
    private var checked: [(link: Link, isValid: Bool)] = []

    /// How many have been checked, which is what costs.
    var count: Int { checked.count }

    /// Whether the issuer's key made the signature.
    mutating func holds(_ link: Link) -> Bool {
        let known = checked.first { $0.link.issued === link.issued && $0.link.issuer === link.issuer }
        if let known { return known.isValid }
        let isValid = link.issued.isSigned(by: link.issuer)
        if checked.isEmpty { checked.reserveCapacity(Self.usualCount) }
        checked.append((link, isValid))
        return isValid
    }

    /// Whether any issuer's signature on it was found good.
    func haveProved(_ issued: ParsedCertificate) -> Bool {
        checked.contains { $0.link.issued === issued && $0.isValid }
    }
}
