// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
public import X509

/// Evidence from the network, which an evaluation may need, and which the caller fetches (``Verdict/wanted``).
public struct TrustEvidence: Sendable {
    /// Certificates of issuers that the server did not send, in any order.
    public var issuers: [Certificate]
    /// The revocation lists and OCSP responses.
    public var revocation: RevocationEvidence
    /// The remembered key of the server, for ``TrustPolicy/Validation/firstUse``; `nil` where it was never seen.
    public var remembered: RememberedServer?
    /// The signed certificate timestamps that the server sent in the TLS extension `signed_certificate_timestamp` (RFC 6962 section 3.3.1).
    ///
    /// `Countersign`'s session cannot have them, because NIOSSL does not ask a server for them.
    public var timestamps: TimestampList?

    /// Makes evidence; without arguments, it is empty.
    public init(
        issuers: [Certificate] = [], revocation: RevocationEvidence = RevocationEvidence(),
        remembered: RememberedServer? = nil, timestamps: TimestampList? = nil
    ) {
        self.issuers = issuers
        self.revocation = revocation
        self.remembered = remembered
        self.timestamps = timestamps
    }

    var parsedIssuers: [ParsedCertificate] { issuers.map(ParsedCertificate.init) }
}

/// Evidence that was missing, for the caller to fetch and pass to another evaluation as ``TrustEvidence``.
@nonexhaustive
public enum EvidenceRequest: Hashable, Sendable {
    /// The certificate of a certificate's issuer, in DER or in a bundle of certificates (RFC 5280 section 4.2.2.1).
    ///
    /// `at` are the URLs that the certificate names; the first that has the issuer's certificate is enough.
    case issuer(of: CertificateSummary, at: [String])
    /// The revocation status of a certificate (RFC 6960, RFC 5280 section 5).
    ///
    /// `responders` and `lists` are the URLs of OCSP responders and revocation lists that the certificate names. One good answer is enough.
    case revocation(of: CertificateSummary, issuer: CertificateSummary, responders: [String], lists: [String])
}

extension ParsedCertificate {
    /// Where the certificate says that its issuer's is; `nil` where it does not say.
    var issuerRequest: EvidenceRequest? {
        let places = RevocationPointers(self).issuers
        return places.isEmpty ? nil : .issuer(of: summary, at: places)
    }

    /// Where to ask whether it is revoked; `nil` where it does not say.
    func revocationRequest(issuer: ParsedCertificate) -> EvidenceRequest? {
        let pointers = RevocationPointers(self)
        guard !pointers.responders.isEmpty || !pointers.lists.isEmpty else { return nil }
        return .revocation(
            of: summary, issuer: issuer.summary, responders: pointers.responders, lists: pointers.lists)
    }
}

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

extension OCSPRequest {
    /// Asks about a certificate of a verdict.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that is asked about.
    ///   - issuer: The certificate that issued it.
    ///   - nonce: 1 to 128 random octets, of which RFC 9654 recommends 32; `nil` sends none, so that a response made beforehand is
    ///     accepted.
    /// - Throws: ``RevocationEncodingError/nonceLength(_:)``, and ``RevocationEncodingError/malformed(_:)`` where the issuer's key cannot
    ///   be read.
    public init(
        for certificate: CertificateSummary, issuer: CertificateSummary, nonce: [UInt8]? = nil
    ) throws(RevocationEncodingError) {
        try self.init(for: certificate.parsed, issuer: issuer.parsed, nonce: nonce)
    }
}
