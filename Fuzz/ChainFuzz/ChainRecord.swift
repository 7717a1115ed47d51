// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import TrustRecipes

/// A record of the input: a byte for the kind, two bytes for the length, and the content.
struct ChainRecord {
    enum Kind: UInt8, CaseIterable {
        case presented, anchor, fetched
        /// A certificate to sign, after the number of the signing key.
        case presentedToSign, anchorToSign, fetchedToSign
        case list, response
        case listToSign, responseToSign
        case host
        /// An offset from the recipes' current time, in seconds, in four bytes.
        case time
        /// The bytes that choose a policy; see ``ChainInput``.
        case policy
        case pin
        /// A kind of pin, and the index of a presented certificate.
        case pinned

        init(_ byte: UInt8) {
            self = Self.allCases[Int(byte) % Self.allCases.count]
        }

        /// The number of bytes before the DER; `nil` if the record contains none.
        var prefix: Int? {
            switch self {
            case .presented, .anchor, .fetched, .list, .response: 0
            case .presentedToSign, .anchorToSign, .fetchedToSign, .listToSign, .responseToSign: 1
            case .host, .time, .policy, .pin, .pinned: nil
            }
        }
    }

    var kind: Kind
    var content: [UInt8]

    init(_ kind: Kind, _ content: [UInt8]) {
        (self.kind, self.content) = (kind, content)
    }

    var bytes: [UInt8] {
        let content = content.prefix(Int(UInt16.max))
        return [kind.rawValue, UInt8(content.count >> 8), UInt8(content.count & 0xff)] + content
    }

    /// Returns the records of an input, of which the last may be truncated.
    static func all(_ input: [UInt8]) -> [ChainRecord] {
        var (rest, records) = (input[...], [ChainRecord]())
        while rest.count >= 3 {
            let header = Array(rest.prefix(3))
            rest = rest.dropFirst(3)
            let content = rest.prefix(Int(header[1]) << 8 | Int(header[2]))
            records.append(ChainRecord(Kind(header[0]), Array(content)))
            rest = rest.dropFirst(content.count)
        }
        return records
    }
}
