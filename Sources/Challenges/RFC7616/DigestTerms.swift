// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a Digest challenge asks for (RFC 7616 section 3.3).
struct DigestTerms {
    /// `qop`: what the answer vouches for.
    enum Quality: String {
        case request = "auth"
        case requestAndBody = "auth-int"
    }

    let realm: String
    let nonce: String
    let opaque: String?
    let algorithm: DigestAlgorithm
    /// As the server spells it; `nil` where it says nothing.
    let algorithmName: String?
    /// `nil` for servers older than RFC 2617.
    let quality: Quality?
    let hashesUser: Bool
    let acceptsExtendedUser: Bool

    /// Reads a challenge; `nil` where the algorithm or every quality of protection is unknown.
    ///
    /// Of the two qualities `auth` is taken: servers list `auth-int` that have never been asked for it.
    init?(_ challenge: HTTPChallenge) throws(HTTPAuthenticatorError) {
        guard let algorithm = DigestAlgorithm(challenge["algorithm"]) else { return nil }
        let offered = (challenge["qop"] ?? "").utf8.split { ", \t".utf8.contains($0) }
            .map { String(decoding: $0, as: UTF8.self).lowercased() }
        quality = [.request, .requestAndBody].first { offered.contains($0.rawValue) }
        guard offered.isEmpty || quality != nil else { return nil }
        guard let realm = challenge.realm else { throw .missingParameter("realm") }
        guard let nonce = challenge["nonce"] else { throw .missingParameter("nonce") }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        opaque = challenge["opaque"]
        algorithmName = challenge["algorithm"]
        hashesUser = challenge["userhash"]?.lowercased() == "true"
        acceptsExtendedUser = challenge["charset"]?.lowercased() == "utf-8"
    }
}
