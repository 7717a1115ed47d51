// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
public import X509

/// Certificates at which a path may end, found by their subject.
public struct AnchorStore: Sendable {
    private var bySubject: [DistinguishedName: [Certificate]] = [:]
    /// How many parts of a bundle were no certificate that can be read.
    public private(set) var unreadableCount = 0

    /// Indexes certificates.
    public init(_ certificates: [Certificate]) {
        for certificate in certificates { bySubject[certificate.subject, default: []].append(certificate) }
    }

    /// Reads a bundle; a certificate in it that cannot be read is counted and passed over, so that it does not take the others with it.
    ///
    /// - Throws: ``AnchorStoreError/noCertificates`` where there is none left.
    public init(pemBundle: [UInt8]) throws(AnchorStoreError) {
        let documents = (try? PEMDocument.parseMultiple(pemString: String(decoding: pemBundle, as: UTF8.self))) ?? []
        let certificates = documents.compactMap { try? Certificate(pemDocument: $0) }
        guard !certificates.isEmpty else { throw .noCertificates }
        self.init(certificates)
        unreadableCount = documents.count - certificates.count
    }

    /// The profile of the paths that end in one of these.
    private(set) var profile = TrustPolicy.Profile.webPKI

    func with(_ profile: TrustPolicy.Profile) -> Self {
        var copy = self
        copy.profile = profile
        return copy
    }

    func certificates(withSubject subject: DistinguishedName) -> [Certificate] { bySubject[subject] ?? [] }

    func contains(_ certificate: Certificate) -> Bool {
        certificates(withSubject: certificate.subject).contains(certificate)
    }
}

/// Why a bundle gave no anchors.
@nonexhaustive
public enum AnchorStoreError: Error, Hashable, Sendable {
    case noCertificates
}
