// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import HTTPTypes

/// One place to fetch one thing from that an evaluation wants.
enum EvidenceSource: Hashable, Sendable {
    case issuer(String)
    case responder(String, OCSPRequest)
    case list(String)

    /// The sources that a request names, in the order in which they are asked: responders answer faster than lists.
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

    /// How much is read, in bytes; lists of large authorities are long.
    var sizeLimit: Int {
        switch self {
        case .issuer: 1 << 20
        case .responder: 1 << 18
        case .list: 32 << 20
        }
    }

    /// Small questions are put by GET, which caches on the way can answer (RFC 5019 section 5).
    var request: Request {
        guard case .responder(let responder, let question) = self else { return Request(url: place) }
        if let path = question.pathComponent {
            return Request(url: responder.hasSuffix("/") ? responder + path : responder + "/" + path)
        }
        return Request(
            url: responder, method: .post, headerFields: [.contentType: "application/ocsp-request"],
            body: .bytes(question.derEncoded))
    }
}
