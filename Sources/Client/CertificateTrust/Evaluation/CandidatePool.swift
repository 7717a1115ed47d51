// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// The certificates available to a path search, without duplicates; certificates with equal bytes are the same.
struct CandidatePool {
    struct Candidate {
        let certificate: ParsedCertificate
        /// The profile of the paths that end in the certificate; `nil` if it is not an anchor.
        let profile: TrustPolicy.Profile?
    }

    /// Anchors, and the profile of the paths that end in them.
    struct Anchors: Sendable {
        let store: AnchorStore
        let profile: TrustPolicy.Profile
    }

    let leaf: Candidate
    private let anchors: [Anchors]
    /// The presented and fetched certificates, a few hundred at most.
    private let others: [ParsedCertificate]
    /// The usual number of names that a search looks up.
    private static let typicalCount = 4
    /// A cache of lookups by name, an array because comparing a few names takes less time than hashing them.
    private var known: [(name: NameKey, candidates: [Candidate])] = []

    init(_ chain: PresentedChain, fetched: [ParsedCertificate], anchors: [Anchors]) {
        self.anchors = anchors
        var leaf = Candidate(certificate: chain.parsedLeaf, profile: nil)
        for anchors in anchors {
            guard let anchor = anchors.store.anchor(equalTo: chain.parsedLeaf) else { continue }
            leaf = Candidate(certificate: anchor, profile: anchors.profile)
            break
        }
        self.leaf = leaf
        others = fetched.isEmpty ? chain.parsedIssuers : chain.parsedIssuers + fetched
        known.reserveCapacity(Self.typicalCount)
    }

    /// Makes a pool of the same certificates with another leaf and a single anchor.
    init(_ pool: CandidatePool, leaf: ParsedCertificate, anchor: ParsedCertificate) {
        anchors = [Anchors(store: AnchorStore(anchor), profile: .privatePKI)]
        self.leaf = Candidate(certificate: leaf, profile: leaf == anchor ? .privatePKI : nil)
        others = pool.others
    }

    /// The number of certificates that were presented or fetched.
    var count: Int { others.count + 1 }

    /// Returns the certificates whose subject is the certificate's issuer: those with a matching key identifier first,
    /// and otherwise anchors first (RFC 4158 section 3.5.12).
    ///
    /// Key identifiers only order the search and prove nothing.
    mutating func issuers(of certificate: ParsedCertificate) -> [Candidate] {
        candidates(named: certificate.issuer, key: certificate.authorityKey.value?.keyIdentifier)
    }

    /// Returns the certificates with the given subject, those with the given key identifier first.
    mutating func candidates(named name: NameKey, key: @autoclosure () -> ArraySlice<UInt8>?) -> [Candidate] {
        let candidates = candidates(named: name)
        guard candidates.count > 1, let wanted = key() else { return candidates }
        let agreeing = candidates.filter { $0.certificate.subjectKey.value == wanted }
        guard !agreeing.isEmpty, agreeing.count < candidates.count else { return candidates }
        return agreeing + candidates.filter { $0.certificate.subjectKey.value != wanted }
    }

    private mutating func candidates(named name: NameKey) -> [Candidate] {
        if let found = known.first(where: { $0.name == name }) { return found.candidates }
        var found: [Candidate] = []
        // A presented copy of an anchor counts as the anchor, and a copy of the leaf as the leaf.
        func add(_ certificate: ParsedCertificate, _ profile: TrustPolicy.Profile?) {
            if let index = found.firstIndex(where: { $0.certificate == certificate }) {
                // The settings of an anchor restrict it, even if it is also given without them.
                if certificate.trust != nil, found[index].certificate.trust == nil {
                    found[index] = Candidate(certificate: certificate, profile: found[index].profile)
                }
                return
            }
            found.append(
                certificate == leaf.certificate ? leaf : Candidate(certificate: certificate, profile: profile))
        }
        for anchors in anchors {
            for anchor in anchors.store.anchors(withSubject: name) {
                if let certificate = anchor.certificate { add(certificate, anchors.profile) }
            }
        }
        for certificate in others where certificate.subject == name { add(certificate, nil) }
        known.append((name, found))
        return found
    }
}

/// The signatures that a search has checked, each once.
struct LinkSignatures {
    /// A certificate and its possible issuer.
    struct Link {
        let issued: ParsedCertificate
        let issuer: ParsedCertificate
    }

    private static let typicalCount = 4

    /// The checked links, at most as many as a search's limit, so that a linear search costs less than hashing.
    private var checked: [(link: Link, isValid: Bool)] = []

    /// The number of checked signatures; these checks are the expensive part of a search.
    var count: Int { checked.count }

    /// Returns whether the issuer's key made the signature.
    mutating func holds(_ link: Link) -> Bool {
        let known = checked.first { $0.link.issued === link.issued && $0.link.issuer === link.issuer }
        if let known { return known.isValid }
        let isValid = link.issued.isSigned(by: link.issuer)
        if checked.isEmpty { checked.reserveCapacity(Self.typicalCount) }
        checked.append((link, isValid))
        return isValid
    }

    /// Returns whether the signature on the certificate was found valid with the key of any issuer.
    func hasVerifiedSignature(_ issued: ParsedCertificate) -> Bool {
        checked.contains { $0.link.issued === issued && $0.isValid }
    }
}
