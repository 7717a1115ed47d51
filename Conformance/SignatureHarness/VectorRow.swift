// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

/// A row of the manifest: a file, whether it verifies, and xmlsec's options that say where the key comes from.
struct VectorRow: Decodable {
    enum Expected: String, Decodable {
        case valid, invalid
    }

    let file: String
    let expected: Expected
    let options: String

    enum CodingKeys: String, CodingKey {
        case file, expected
        case options = "key_options"
    }

    /// The options with their values; those of files are paths within the folder.
    func values(_ name: String) -> [String] {
        let words = options.split(separator: " ").map(String.init)
        return words.indices.dropLast().filter { words[$0].prefix { $0 != ":" } == name[...] }.map { words[$0 + 1] }
    }

    func has(_ name: String) -> Bool { options.split(separator: " ").contains { $0.prefix { $0 != ":" } == name[...] } }

    /// Whether a key that stands in the message counts.
    var isKeyEnabled: Bool {
        values("--enabled-key-data").contains {
            !Set($0.split(separator: ",")).isDisjoint(with: ["rsa", "ec", "eddsa"])
        }
    }

    /// Whether it needs what only xmlsec has: signatures of ECDSA in DER, and keys agreed on with ML-KEM.
    var isBeyondStandards: Bool { has("--enable-asn1-signatures-hack") || has("$mlkem_priv_key_option") }

    /// Whether it is invalid only because xmlsec refuses a signer for whom there is just an outdated revocation list.
    ///
    /// Here the policy decides that, and the one of this program does not demand a list.
    var isOfAnotherPolicy: Bool {
        has("--verify-crls") && values("--verification-gmt-time").first?.hasPrefix("2026-05") == true
    }

    /// The time at which certificates are checked.
    var time: Date {
        let text = values("--verification-gmt-time").first?.replacing("+", with: "T")
        return text.flatMap { try? Date("\($0)Z", strategy: .iso8601) } ?? Date()
    }
}
