// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import TrustRecipes

/// A part of an input: a byte for its kind, two for its length, and its content.
struct ChainRecord {
    enum Kind: UInt8, CaseIterable {
        case presented, anchor, fetched
        /// The same, after the number of the key that is to sign it.
        case presentedToSign, anchorToSign, fetchedToSign
        case list, response
        case listToSign, responseToSign
        case host
        /// Seconds from the recipes' now, in four bytes.
        case time
        /// See ``ChainInput``.
        case policy
        case pin
        /// The kind of pin, and the place of a presented certificate.
        case pinned

        init(_ byte: UInt8) {
            self = Self.allCases[Int(byte) % Self.allCases.count]
        }

        /// What comes before the DER in it; `nil` where there is none.
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

    /// The records of an input; the last one takes the rest.
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
