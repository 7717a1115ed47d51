// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
public import X509

/// Evidence from the network that an evaluation may need, and that the caller fetches (``Verdict/wanted``).
public struct TrustEvidence: Sendable {
    /// The certificates of issuers that the server did not send, in any order.
    public var issuers: [Certificate]
    /// Further issuers, which may be certificates that swift-certificates cannot read.
    package var fetchedIssuers: [CertificateSummary] = []
    /// The revocation lists and OCSP responses.
    public var revocation: RevocationEvidence
    /// The remembered key of the server, for ``TrustPolicy/Validation/firstUse``;
    /// `nil` if the server was not seen before.
    public var remembered: RememberedServer?
    /// The certificates in the files of issuers that were not read, for ``Verdict/unread``.
    public var unread: [UnreadCertificate] = []
    /// The signed certificate timestamps in the TLS extension `signed_certificate_timestamp` (RFC 6962 section 3.3.1).
    public var timestamps: TimestampList?

    /// Makes evidence, which is empty without arguments.
    public init(
        issuers: [Certificate] = [], revocation: RevocationEvidence = RevocationEvidence(),
        remembered: RememberedServer? = nil, timestamps: TimestampList? = nil
    ) {
        self.issuers = issuers
        self.revocation = revocation
        self.remembered = remembered
        self.timestamps = timestamps
    }

    var parsedIssuers: [ParsedCertificate] {
        (issuers.map(ParsedCertificate.init) + fetchedIssuers.map(\.parsed)).filter { $0.problem == nil }
    }
}

extension EvidenceOrigin {
    /// Makes an origin.
    ///
    /// - Parameters:
    ///   - kind: The kind of the source.
    ///   - place: The URL or the path of the source.
    ///   - certificate: The certificate about which the source was asked.
    public init(_ kind: Kind, at place: String? = nil, about certificate: CertificateSummary? = nil) {
        self.init(kind, at: place, aboutParsed: certificate?.parsed)
    }

    /// The certificate about which the source was asked; `nil` if the evidence was given without a question.
    public var certificate: CertificateSummary? { parsed?.summary }
}

/// Missing evidence, which the caller can fetch and pass to another evaluation as ``TrustEvidence``.
@nonexhaustive
public enum EvidenceRequest: Hashable, Sendable {
    /// The certificate of an issuer, in DER or in a bundle of certificates (RFC 5280 section 4.2.2.1).
    ///
    /// `at` contains the URLs in the certificate; the first that returns the issuer's certificate is sufficient.
    case issuer(of: CertificateSummary, at: [String])
    /// The revocation status of a certificate (RFC 6960, RFC 5280 section 5).
    ///
    /// `responders` and `lists` are the URLs of OCSP responders and revocation lists in the certificate. One good
    /// answer is sufficient.
    case revocation(of: CertificateSummary, issuer: CertificateSummary, responders: [String], lists: [String])

    /// The certificate that the evidence is about.
    package var certificate: CertificateSummary {
        switch self {
        case .issuer(let certificate, _), .revocation(let certificate, _, _, _): certificate
        }
    }
}

/// A fetcher of the evidence that verdicts request (``Verdict/wanted``).
///
/// `Countersign.EvidenceFetcher` conforms.
public protocol EvidenceFetching: Sendable {
    /// Evaluates a chain repeatedly, each time with more of the evidence that the previous verdict requested.
    ///
    /// - Parameters:
    ///   - policy: The policy of the evaluation; its ``TrustPolicy/localEvidence`` limits the addresses from which
    ///     evidence is fetched.
    ///   - host: The host name of the server; `nil` for a client.
    ///   - evaluate: Evaluates the chain with the given evidence.
    /// - Returns: The verdict that requests no further evidence, or the last one if no more is available in time.
    func verdict(
        under policy: TrustPolicy, for host: HostName?, by evaluate: @Sendable (TrustEvidence) -> Verdict
    ) async -> Verdict
}

extension ParsedCertificate {
    /// The request for the issuer's certificate; `nil` if the certificate contains no URL for it.
    var issuerRequest: EvidenceRequest? {
        let places = RevocationPointers(self).issuers
        return places.isEmpty ? nil : .issuer(of: summary, at: places)
    }

    /// Returns the request for the revocation status; `nil` if the certificate contains no URL for it.
    func revocationRequest(issuer: ParsedCertificate) -> EvidenceRequest? {
        let pointers = RevocationPointers(self)
        guard !pointers.responders.isEmpty || !pointers.lists.isEmpty else { return nil }
        return .revocation(
            of: summary, issuer: issuer.summary, responders: pointers.responders, lists: pointers.lists)
    }
}

/// The URLs in a certificate from which its revocation status and its issuer's certificate can be fetched.
struct RevocationPointers: Hashable, Sendable {
    /// The maximum number of URLs of each kind; real certificates have one or two.
    private static let limit = 4
    private static let maximumURLLength = 2048

    /// The URLs of OCSP responders (RFC 5280 section 4.2.2.1).
    let responders: [String]
    /// The URLs of the issuer's certificate (RFC 5280 section 4.2.2.1).
    let issuers: [String]
    /// The URLs of revocation lists (RFC 5280 section 4.2.1.13).
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
        // Lists that suffice on their own come first.
        let sufficient = points.filter { $0.listIssuers.isEmpty && $0.reasons == .all }
        let others = points.filter { !sufficient.contains($0) }
        lists = Self.urls((sufficient + others).lazy.flatMap { $0.name?.fullNames ?? [] })
    }

    /// Returns the first URLs that an HTTP client can use.
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
            && url.utf8.count <= maximumURLLength && url.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}

extension OCSPRequest {
    /// Makes a request for the status of a certificate in a verdict.
    ///
    /// - Parameters:
    ///   - certificate: The certificate whose status is requested.
    ///   - issuer: The certificate that issued it.
    ///   - nonce: A nonce of 1 to 128 random octets, of which RFC 9654 recommends 32; `nil` sends none, so that a
    ///     pre-produced response is accepted.
    /// - Throws: ``RevocationEncodingError/nonceLength(_:)``, and ``RevocationEncodingError/malformed(_:)`` if the
    ///   issuer's key cannot be read.
    public init(
        for certificate: CertificateSummary, issuer: CertificateSummary, nonce: [UInt8]? = nil
    ) throws(RevocationEncodingError) {
        try self.init(for: certificate.parsed, issuer: issuer.parsed, nonce: nonce)
    }
}
