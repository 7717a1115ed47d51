// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import EssentialFoundation
import HTTPTypes
import X509

/// A URL from which a piece of evidence can be fetched.
enum EvidenceSource: Hashable, Sendable {
    case issuer(String)
    case responder(String, OCSPRequest)
    case list(String)

    /// Returns the sources of a request in the order in which they are tried; responders answer faster than lists.
    static func all(for request: EvidenceRequest) -> [EvidenceSource] {
        switch request {
        case .issuer(_, let places):
            return places.map { .issuer($0) }
        case .revocation(let certificate, let issuer, let responders, let lists):
            let question = try? OCSPRequest(for: certificate, issuer: issuer)
            let asked = question.map { question in responders.map { EvidenceSource.responder($0, question) } }
            return (asked ?? []) + lists.map { .list($0) }
        @unknown default:
            return []
        }
    }

    var place: String {
        switch self {
        case .issuer(let place), .responder(let place, _), .list(let place): place
        }
    }

    /// The maximum size of a response, in bytes.
    ///
    /// The lists of large authorities are long.
    var sizeLimit: Int {
        switch self {
        case .issuer: 1 << 20
        case .responder: 1 << 18
        case .list: 32 << 20
        }
    }

    /// The request for the evidence.
    ///
    /// Short OCSP requests use GET, which caches can answer (RFC 5019 section 5).
    var request: SessionRequest {
        guard case .responder(let responder, let question) = self else { return SessionRequest(url: place) }
        if let path = question.pathComponent {
            return SessionRequest(url: responder.hasSuffix("/") ? responder + path : responder + "/" + path)
        }
        return SessionRequest(
            url: responder, method: .post, headerFields: [.contentType: "application/ocsp-request"],
            body: .bytes(question.derEncoded))
    }
}

/// The evidence from a source.
enum FetchedEvidence: Sendable {
    case issuers([Certificate])
    case response(OCSPResponse)
    case lists([CertificateRevocationList])

    /// Parses a response body; `nil` if it is not the requested evidence.
    init?(_ bytes: [UInt8], from source: EvidenceSource) {
        switch source {
        case .issuer:
            let certificates = IssuerFile.certificates(in: bytes)
            guard !certificates.isEmpty else { return nil }
            self = .issuers(certificates)
        case .responder:
            // An OCSP error response contains no status, and is not signed.
            guard let response = try? OCSPResponse(derEncoded: bytes), response.refusal == nil else { return nil }
            self = .response(response)
        case .list:
            guard let lists = try? CertificateRevocationList.all(in: bytes) else { return nil }
            self = .lists(lists)
        }
    }

    func add(to evidence: inout TrustEvidence) {
        switch self {
        case .issuers(let certificates): evidence.issuers += certificates
        case .response(let response): evidence.revocation.responses.append(.init(response))
        case .lists(let lists): evidence.revocation.lists += lists
        }
    }

    /// The time of the next update that the evidence states; `nil` if it states none.
    var nextUpdate: Date? {
        switch self {
        case .issuers: nil
        case .response(let response): response.nextUpdate
        case .lists(let lists): lists.compactMap(\.nextUpdate).min()
        }
    }

    /// The time until which a decision based on this evidence is valid; `nil` if the evidence is not about revocation.
    var end: Date? {
        if case .issuers = self { return nil }
        return min(nextUpdate ?? .distantFuture, Date() + EvidenceCache.maximumUse)
    }

    /// The approximate size in bytes, without the signatures of issuers.
    var size: Int {
        switch self {
        case .issuers(let certificates): certificates.reduce(0) { $0 + $1.tbsCertificateBytes.count }
        case .response(let response): response.derBytes.count
        case .lists(let lists): lists.reduce(0) { $0 + $1.derBytes.count }
        }
    }
}

/// The outcome of a fetch from one source.
enum EvidenceOutcome: Sendable {
    case fetched(FetchedEvidence)
    /// The source sent nothing, or nothing usable.
    case nothing
    /// The source is in the local network and its server is not, so it was not contacted.
    case refused

    /// The fetched evidence; `nil` if nothing was fetched.
    var evidence: FetchedEvidence? {
        if case .fetched(let evidence) = self { evidence } else { nil }
    }

    var isRefused: Bool {
        if case .refused = self { true } else { false }
    }
}
