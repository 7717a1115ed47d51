// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// Where a certificate says that its revocation can be asked for, and whether it must be told unasked.
struct RevocationPointers: Hashable, Sendable {
    /// Real certificates have one or two of each.
    private static let limit = 4
    private static let longestURL = 2048

    /// Of OCSP responders (RFC 5280 section 4.2.2.1).
    let responders: [String]
    /// Of the issuer's certificate (RFC 5280 section 4.2.2.1).
    let issuers: [String]
    /// Of revocation lists (RFC 5280 section 4.2.1.13).
    let lists: [String]

    init(_ certificate: ParsedCertificate) {
        let encoded = certificate.encoded.found(ExtensionNumber.authorityInformation)
        let access =
            encoded.flatMap { try? AuthorityInformationAccess($0.typed(.X509ExtensionID.authorityInformationAccess)) }
            ?? AuthorityInformationAccess()
        responders = Self.urls(access.lazy.filter { $0.method == .ocspServer }.map(\.location))
        issuers = Self.urls(access.lazy.filter { $0.method == .issuingCA }.map(\.location))
        let value = certificate.encoded.found(ExtensionNumber.distributionPoints)?.value
        let points = value.flatMap { try? DistributionPoint.all($0) } ?? []
        // First those that are good by themselves.
        let whole = points.filter { $0.listIssuers.isEmpty && $0.reasons == .all }
        let others = points.filter { !whole.contains($0) }
        lists = Self.urls((whole + others).lazy.flatMap { $0.name?.fullNames ?? [] })
    }

    /// The first that a client of HTTP can ask.
    private static func urls(_ names: some Sequence<GeneralName>) -> [String] {
        var urls: [String] = []
        for case .uniformResourceIdentifier(let url) in names where urls.count < limit && isUsable(url) {
            if !urls.contains(url) { urls.append(url) }
        }
        return urls
    }

    private static func isUsable(_ url: String) -> Bool {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        return ["http", "https"].contains(scheme) && url.dropFirst(scheme.count).hasPrefix("://")
            && url.utf8.count <= longestURL && url.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
