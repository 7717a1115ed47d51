// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Computes what a Digest answer has to prove (RFC 7616 section 3.4.1), without a word of the code that is judged.
struct DigestProof {
    let user: UserInfo
    let method: String

    /// Whether the answer is one that knows the password.
    func holds(for terms: DigestTerms) -> Bool {
        guard let realm = terms["realm"], let nonce = terms["nonce"], let uri = terms["uri"],
            let response = terms["response"]
        else { return false }
        let algorithm = (terms["algorithm"] ?? "MD5").uppercased()
        let hash: (String) -> String = { Self.hash($0, by: algorithm) }
        var key = hash("\(user.name):\(realm):\(user.password ?? "")")
        if algorithm.hasSuffix("-SESS") { key = hash("\(key):\(nonce):\(terms["cnonce"] ?? "")") }
        let request = hash("\(method):\(uri)")
        guard let quality = terms["qop"] else { return response == hash("\(key):\(nonce):\(request)") }
        let counted = "\(nonce):\(terms["nc"] ?? ""):\(terms["cnonce"] ?? ""):\(quality)"
        return quality == "auth" && response == hash("\(key):\(counted):\(request)")
    }

    private static func hash(_ text: String, by algorithm: String) -> String {
        let data = Data(text.utf8)
        return switch algorithm.split(separator: "-SESS").first ?? "" {
        case "SHA-256": hexadecimal(SHA256.hash(data: data))
        case "SHA-512-256": hexadecimal(SHA512256.hash(data: data))
        default: hexadecimal(Insecure.MD5.hash(data: data))
        }
    }

    private static func hexadecimal(_ digest: some Sequence<UInt8>) -> String {
        digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
