// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// The certificates that a search has to do with, each once, told apart by their bytes.
struct CandidatePool {
    typealias Index = Int

    struct Entry {
        let certificate: Certificate
        /// The profile of the paths that end in it; `nil` where it is no anchor.
        let profile: TrustPolicy.Profile?
        let subjectKey: ArraySlice<UInt8>?
        let authorityKey: ArraySlice<UInt8>?
    }

    /// Real servers present a handful; the first of these are looked at.
    private static let presentedLimit = 256

    private let anchors: [AnchorStore]
    private var presented: [DistinguishedName: [Certificate]] = [:]
    private var entries: [Entry] = []
    private var known: [[UInt8]: Index] = [:]
    private var bySubject: [DistinguishedName: [Index]] = [:]
    let leaf: Index = 0

    init(_ chain: PresentedChain, anchors: [AnchorStore]) {
        self.anchors = anchors
        for issuer in chain.issuers.prefix(Self.presentedLimit) {
            presented[issuer.subject, default: []].append(issuer)
        }
        let store = anchors.first { $0.contains(chain.leaf) }
        _ = add(chain.leaf, profile: store?.profile)
    }

    subscript(_ index: Index) -> Entry { entries[index] }

    /// Those whose subject is the certificate's issuer: anchors first, those whose key identifier agrees before the others
    /// (RFC 4158 section 3.5.12).
    ///
    /// Identifiers guide the search and prove nothing.
    mutating func issuers(of index: Index) -> [Index] {
        let wanted = self[index].authorityKey
        let candidates = certificates(withSubject: self[index].certificate.issuer)
        guard let wanted else { return candidates }
        let (agreeing, others) = (
            candidates.filter { self[$0].subjectKey == wanted }, candidates.filter { self[$0].subjectKey != wanted }
        )
        return agreeing + others
    }

    private mutating func certificates(withSubject subject: DistinguishedName) -> [Index] {
        if let found = bySubject[subject] { return found }
        var found: [Index] = []
        for store in anchors {
            for anchor in store.certificates(withSubject: subject) {
                found.append(add(anchor, profile: store.profile))
            }
        }
        for certificate in presented[subject] ?? [] { found.append(add(certificate, profile: nil)) }
        var seen: Set<Index> = []
        found = found.filter { seen.insert($0).inserted }
        bySubject[subject] = found
        return found
    }

    /// A presented copy of an anchor is the anchor.
    private mutating func add(_ certificate: Certificate, profile: TrustPolicy.Profile?) -> Index {
        let bytes = certificate.derBytes
        if let index = known[bytes] { return index }
        entries.append(
            Entry(
                certificate: certificate, profile: profile,
                subjectKey: (try? certificate.extensions.subjectKeyIdentifier)?.keyIdentifier,
                authorityKey: (try? certificate.extensions.authorityKeyIdentifier)?.keyIdentifier))
        known[bytes] = entries.count - 1
        return entries.count - 1
    }
}
