// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a source gave.
enum FetchedEvidence: Sendable {
    case issuers([Certificate])
    case response(OCSPResponse)
    case lists([CertificateRevocationList])

    /// Reads a body; `nil` where it is not what was asked for.
    init?(_ bytes: [UInt8], from source: EvidenceSource) {
        switch source {
        case .issuer:
            let certificates = IssuerFile.certificates(in: bytes)
            guard !certificates.isEmpty else { return nil }
            self = .issuers(certificates)
        case .responder:
            // A refusal is no answer, and not even signed.
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

    /// The time until which it may be used again, as its maker states it; `nil` where it states none.
    var nextUpdate: Date? {
        switch self {
        case .issuers: nil
        case .response(let response): response.nextUpdate
        case .lists(let lists): lists.compactMap(\.nextUpdate).min()
        }
    }

    /// Until when a decision stands that was made with it; `nil` for what says nothing of revocation.
    var end: Date? {
        if case .issuers = self { return nil }
        return min(nextUpdate ?? .distantFuture, Date() + EvidenceCache.longestUse)
    }

    /// In bytes, but for signatures.
    var size: Int {
        switch self {
        case .issuers(let certificates): certificates.reduce(0) { $0 + $1.tbsCertificateBytes.count }
        case .response(let response): response.derBytes.count
        case .lists(let lists): lists.reduce(0) { $0 + $1.derBytes.count }
        }
    }
}
