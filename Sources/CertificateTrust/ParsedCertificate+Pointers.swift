// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

extension ParsedCertificate {
    /// A certificate has one issuer; more places than these are somebody's wish to have many fetched.
    private static let placeLimit = 4

    /// Where the issuer's certificate is said to be; `nil` where nothing is said.
    var issuerRequest: EvidenceRequest? {
        let access = (try? certificate.extensions.authorityInformationAccess) ?? .init()
        let places = access.filter { $0.method == .issuingCA }.compactMap(\.webPlace).prefix(Self.placeLimit)
        return places.isEmpty ? nil : .issuer(of: summary, at: Array(places))
    }
}

extension AuthorityInformationAccess.AccessDescription {
    fileprivate var webPlace: String? {
        guard case .uniformResourceIdentifier(let place) = location else { return nil }
        let scheme = place.prefix(8).lowercased()
        return scheme.hasPrefix("http://") || scheme.hasPrefix("https://") ? place : nil
    }
}
