// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets

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
    /// - Returns: The hash, in hexadecimal as it is sent.
    func proof(key: Secret, method: String, body: [UInt8]) -> HexDigest {
        let subject = algorithm.digest { feed in
            method.lendBytes(to: feed)
            ":".lendBytes(to: feed)
            target.lendBytes(to: feed)
            guard quality == .requestAndBody else { return }
            ":".lendBytes(to: feed)
            algorithm.digest { feed in body.withUnsafeBytes(feed) }.withUnsafeBytes(feed)
        }
        return algorithm.digest { feed in
            key.withUnsafeBytes(feed)
            ":".lendBytes(to: feed)
            nonce.lendBytes(to: feed)
            if let quality {
                ":".lendBytes(to: feed)
                count.lendBytes(to: feed)
                ":".lendBytes(to: feed)
                clientNonce.lendBytes(to: feed)
                ":".lendBytes(to: feed)
                quality.rawValue.lendBytes(to: feed)
            }
            ":".lendBytes(to: feed)
            subject.withUnsafeBytes(feed)
        }
    }

    /// Whether what the server repeats of this answer is this answer's.
    func agrees(with information: HTTPAuthenticationInfo) -> Bool {
        let repeated = [("cnonce", clientNonce), ("nc", count), ("qop", quality?.rawValue ?? "")]
        return repeated.allSatisfy { name, sent in
            information[name].map { $0 == sent || (name != "cnonce" && $0.lowercased() == sent) } ?? true
        }
    }
}
