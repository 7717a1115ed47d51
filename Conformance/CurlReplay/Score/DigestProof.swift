// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import Encodings
import EssentialFoundation

/// Computes the expected value of a Digest response (RFC 7616 section 3.4.1), independently of the tested code.
struct DigestProof {
    let user: UserInfo
    let method: String

    /// Returns whether the response proves the password.
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
        Hexadecimal.encode(digest)
    }
}

/// The parameters of a Digest response (RFC 7616 section 3.4).
struct DigestTerms: Hashable, Sendable {
    /// The parameters, with names in lower case and values without quotes and escapes.
    private let parameters: [String: String]

    init(_ text: Substring) {
        var parameters: [String: String] = [:]
        for match in text.matches(of: /([\w*]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]*))/) {
            let quoted = match.2.map { String($0.replacing(/\\(.)/) { $0.1 }) }
            parameters[match.1.lowercased()] = quoted ?? match.3.map(String.init) ?? ""
        }
        self.parameters = parameters
    }

    subscript(name: String) -> String? { parameters[name] }

    /// The parameters that are the same for all clients.
    var comparable: String {
        parameters.filter { !["cnonce", "response"].contains($0.key) }
            .map { "\($0.key)=\($0.key == "algorithm" ? $0.value.uppercased() : $0.value)" }
            .sorted().joined(separator: ", ")
    }
}
