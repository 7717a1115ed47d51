// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
public import X509

/// Certificates at which a path may end, found by their subject.
///
/// A bundle is indexed and no more: of some 150 anchors a path asks for one or two, and only those are parsed.
public struct AnchorStore: Sendable {
    /// Certificates by the encoding of their subject.
    private var bySubject: [ArraySlice<UInt8>: [[UInt8]]] = [:]
    /// How many parts of a bundle were no certificate that can be read.
    public private(set) var unreadableCount = 0
    /// The profile of the paths that end in one of these.
    private(set) var profile = TrustPolicy.Profile.webPKI

    /// Indexes certificates.
    public init(_ certificates: [Certificate]) {
        for certificate in certificates { _ = add(certificate.derBytes) }
    }

    /// Indexes a bundle; a certificate in it that cannot be read is counted and passed over, so that it does not take the others with it.
    ///
    /// - Throws: ``AnchorStoreError/noCertificates`` where there is none left.
    public init(pemBundle: [UInt8]) throws(AnchorStoreError) {
        let bundle = PEMBundle(pemBundle)
        unreadableCount = bundle.unreadableCount
        for certificate in bundle.certificates where !add(certificate) { unreadableCount += 1 }
        guard !bySubject.isEmpty else { throw .noCertificates }
    }

    private mutating func add(_ certificate: [UInt8]) -> Bool {
        guard let fields = CertificateFields(certificate: certificate[...]) else { return false }
        bySubject[fields.subject, default: []].append(certificate)
        return true
    }

    func with(_ profile: TrustPolicy.Profile) -> Self {
        var copy = self
        copy.profile = profile
        return copy
    }

    /// Parses those whose subject is encoded as this name is.
    func certificates(withSubject subject: DistinguishedName) -> [Certificate] {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(subject)) != nil else { return [] }
        return (bySubject[serializer.serializedBytes[...]] ?? []).compactMap { try? Certificate(derEncoded: $0) }
    }

    func contains(_ certificate: Certificate) -> Bool {
        guard let fields = CertificateFields(tbsCertificate: certificate.tbsCertificateBytes) else { return false }
        return bySubject[fields.subject]?.contains(certificate.derBytes) ?? false
    }
}

/// Why a bundle gave no anchors.
@nonexhaustive
public enum AnchorStoreError: Error, Hashable, Sendable {
    case noCertificates
}
