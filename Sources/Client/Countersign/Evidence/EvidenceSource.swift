// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import EssentialFoundation
import HTTPTypes

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

    /// Returns the origin of the evidence in a verdict; `nil` for the certificate of an issuer.
    func origin(about certificate: CertificateSummary?) -> EvidenceOrigin? {
        switch self {
        case .issuer: nil
        case .responder(let place, _): EvidenceOrigin(.responder, at: place, about: certificate)
        case .list(let place): EvidenceOrigin(.list, at: place, about: certificate)
        }
    }

    /// The media types that do not explain an unreadable body: the registered one, and the types of unknown bytes.
    fileprivate var contentTypes: [String] {
        let own =
            switch self {
            case .issuer: ["application/pkix-cert", "application/pkcs7-mime", "application/x-x509-ca-cert"]
            case .responder: ["application/ocsp-response"]
            case .list: ["application/pkix-crl", "application/x-pkcs7-crl"]
            }
        return own + ["application/octet-stream"]
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
        return Self.post(question, to: responder)
    }

    /// The POST for responders that do not support GET (RFC 6960 appendix A.1); `nil` for other sources.
    var fallback: SessionRequest? {
        guard case .responder(let responder, let question) = self, question.pathComponent != nil else { return nil }
        return Self.post(question, to: responder)
    }

    private static func post(_ question: OCSPRequest, to responder: String) -> SessionRequest {
        SessionRequest(
            url: responder, method: .post, headerFields: [.contentType: "application/ocsp-request"],
            body: .bytes(question.derEncoded))
    }
}

/// The evidence from a source.
enum FetchedEvidence: Sendable {
    case issuers([CertificateSummary], unread: [UnreadCertificate])
    case response(OCSPResponse)
    case lists([CertificateRevocationList])

    /// Parses a response body.
    ///
    /// - Parameters:
    ///   - bytes: The body.
    ///   - contentType: The media type, which matters only if the body is not the requested evidence.
    ///   - source: The source of the body.
    /// - Throws: `RevocationProblem` if the body is not the requested evidence, or an OCSP error.
    init(_ bytes: [UInt8], of contentType: String?, from source: EvidenceSource) throws(RevocationProblem) {
        switch source {
        case .issuer:
            let contents = IssuerFile.contents(of: bytes)
            if !contents.certificates.isEmpty {
                self = .issuers(contents.certificates, unread: contents.unread)
                return
            }
        case .responder:
            if let response = try? OCSPResponse(derEncoded: bytes) {
                // An OCSP error response contains no status, and is not signed.
                if let refusal = response.refusal { throw .responderRefused(refusal) }
                self = .response(response)
                return
            }
        case .list:
            let lists = EvidenceFile(bytes).lists
            if !lists.isEmpty {
                self = .lists(lists)
                return
            }
        }
        let type = contentType?.prefix { $0 != ";" }.lowercased() ?? ""
        let isOther = !type.isEmpty && !source.contentTypes.contains(type)
        throw .notFetched(
            source.place, bytes.isEmpty ? .empty : isOther ? .contentType(String(type.prefix(80))) : .unreadable)
    }

    /// Adds the evidence.
    ///
    /// - Parameters:
    ///   - evidence: The evidence of an evaluation.
    ///   - origin: The source, with the certificate about which it was asked; `nil` if it is not known.
    func add(to evidence: inout TrustEvidence, from origin: EvidenceOrigin? = nil) {
        let origin = origin ?? .caller
        switch self {
        case .issuers(let certificates, let unread):
            evidence.fetchedIssuers += certificates
            evidence.unread += unread
        case .response(let response): evidence.revocation.responses.append(.init(response, from: origin))
        case .lists(let lists):
            evidence.revocation.lists += lists.map { list in
                var list = list
                list.origin = origin
                return list
            }
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

    /// The approximate size in bytes.
    var size: Int {
        switch self {
        case .issuers(let certificates, _): certificates.reduce(0) { $0 + $1.derBytes.count }
        case .response(let response): response.derBytes.count
        case .lists(let lists): lists.reduce(0) { $0 + $1.derBytes.count }
        }
    }
}

/// The outcome of a fetch from one source.
enum EvidenceOutcome: Sendable {
    case fetched(FetchedEvidence)
    /// The source sent nothing, or nothing usable, or was not contacted.
    case nothing(RevocationProblem)

    /// The fetched evidence; `nil` if nothing was fetched.
    var evidence: FetchedEvidence? {
        if case .fetched(let evidence) = self { evidence } else { nil }
    }

    /// The reason why nothing was fetched; `nil` if something was.
    var problem: RevocationProblem? {
        if case .nothing(let problem) = self { problem } else { nil }
    }

    /// Whether the source was not contacted, because it is in the local network and its server is not.
    var isRefused: Bool {
        if case .nothing(.notFetched(_, .localAddress)) = self { true } else { false }
    }
}
