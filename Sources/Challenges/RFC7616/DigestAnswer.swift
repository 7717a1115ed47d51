// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What one answer was about, without the secret: enough to make its proof, and to check the server's.
struct DigestAnswer {
    let algorithm: DigestAlgorithm
    let quality: DigestTerms.Quality?
    let nonce: String
    /// Eight hexadecimal digits.
    let count: String
    let clientNonce: String
    let target: String

    /// `response` (RFC 7616 section 3.4.1), and with an empty method `rspauth` (section 3.5).
    ///
    /// - Parameters:
    ///   - key: H(A1).
    ///   - method: The request's.
    ///   - body: What `auth-int` vouches for.
    /// - Returns: In lower-case hexadecimal.
    func proof(key: String, method: String, body: [UInt8]) -> String {
        var subject = "\(method):\(target)"
        if quality == .requestAndBody { subject += ":" + algorithm.hexDigest(body) }
        let hash = algorithm.hexDigest(subject)
        guard let quality else { return algorithm.hexDigest("\(key):\(nonce):\(hash)") }
        return algorithm.hexDigest("\(key):\(nonce):\(count):\(clientNonce):\(quality.rawValue):\(hash)")
    }

    /// Whether what the server repeats of this answer is this answer's.
    func agrees(with information: HTTPAuthenticationInfo) -> Bool {
        let repeated = [("cnonce", clientNonce), ("nc", count), ("qop", quality?.rawValue ?? "")]
        return repeated.allSatisfy { name, sent in
            information[name].map { $0 == sent || (name != "cnonce" && $0.lowercased() == sent) } ?? true
        }
    }
}
