// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// The certificates that a search has to do with, each once, told apart by their bytes.
struct CandidatePool {
    struct Candidate {
        let certificate: ParsedCertificate
        /// The profile of the paths that end in it; `nil` where it is no anchor.
        let profile: TrustPolicy.Profile?
    }

    /// Anchors, and the profile of the paths that end in one of them.
    struct Anchors: Sendable {
        let store: AnchorStore
        let profile: TrustPolicy.Profile
    }

    let leaf: Candidate
    private let anchors: [Anchors]
    /// Presented and fetched ones, a few hundred at most.
    private let others: [ParsedCertificate]
    /// Of the names that a search asks for.
    private static let usualCount = 4
    /// What was found for a name; a search asks for a few names, which are compared in less time than they are hashed.
    private var known: [(name: NameKey, candidates: [Candidate])] = []

    init(_ chain: PresentedChain, fetched: [ParsedCertificate], anchors: [Anchors]) {
        self.anchors = anchors
        leaf = Candidate(
            certificate: chain.parsedLeaf, profile: anchors.first { $0.store.contains(chain.parsedLeaf) }?.profile)
        others = fetched.isEmpty ? chain.parsedIssuers : chain.parsedIssuers + fetched
        known.reserveCapacity(Self.usualCount)
    }

    /// The same certificates with another leaf and one anchor.
    init(_ pool: CandidatePool, leaf: ParsedCertificate, anchor: ParsedCertificate) {
        anchors = [Anchors(store: AnchorStore(anchor), profile: .privatePKI)]
        self.leaf = Candidate(certificate: leaf, profile: leaf == anchor ? .privatePKI : nil)
        others = pool.others
    }

    /// Those whose subject is the certificate's issuer: anchors first, those whose key identifier agrees before the others
    /// (RFC 4158 section 3.5.12).
    ///
    /// Identifiers guide the search and prove nothing.
    mutating func issuers(of certificate: ParsedCertificate) -> [Candidate] {
        candidates(named: certificate.issuer, key: certificate.authorityKey.value?.keyIdentifier)
    }

    /// Those with a subject, first those that have a key identifier.
    mutating func candidates(named name: NameKey, key: @autoclosure () -> ArraySlice<UInt8>?) -> [Candidate] {
        let candidates = candidates(named: name)
        guard candidates.count > 1, let wanted = key() else { return candidates }
        let agreeing = candidates.filter { $0.certificate.subjectKey.value == wanted }
        return agreeing + candidates.filter { $0.certificate.subjectKey.value != wanted }
    }

    private mutating func candidates(named name: NameKey) -> [Candidate] {
        if let found = known.first(where: { $0.name == name }) { return found.candidates }
        var found: [Candidate] = []
        // A presented copy of an anchor is the anchor, and one of the leaf is the leaf.
        func add(_ certificate: ParsedCertificate, _ profile: TrustPolicy.Profile?) {
            guard !found.contains(where: { $0.certificate == certificate }) else { return }
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
    /// A certificate, and one that may have issued it.
    struct Link {
        let issued: ParsedCertificate
        let issuer: ParsedCertificate
    }

    private static let usualCount = 4

    /// At most as many as a search checks, so that looking through them costs less than hashing.
    private var checked: [(link: Link, isValid: Bool)] = []

    /// How many have been checked, which is what costs.
    var count: Int { checked.count }

    /// Whether the issuer's key made the signature.
    mutating func holds(_ link: Link) -> Bool {
        let known = checked.first { $0.link.issued === link.issued && $0.link.issuer === link.issuer }
        if let known { return known.isValid }
        let isValid = link.issued.isSigned(by: link.issuer)
        if checked.isEmpty { checked.reserveCapacity(Self.usualCount) }
        checked.append((link, isValid))
        return isValid
    }

    /// Whether any issuer's signature on it was found good.
    func haveProved(_ issued: ParsedCertificate) -> Bool {
        checked.contains { $0.link.issued === issued && $0.isValid }
    }
}
