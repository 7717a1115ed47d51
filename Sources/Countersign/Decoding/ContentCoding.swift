// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import HTTPTypes

/// How a representation was compressed for its transfer (RFC 9110 section 8.4.1).
@nonexhaustive
public enum ContentCoding: String, CaseIterable, Hashable, Sendable {
    /// RFC 1952, perhaps in several members; `x-gzip` is the same.
    case gzip
    /// RFC 1950. Some servers send RFC 1951 without its wrapper, as browsers have long put up with.
    case deflate
    #if Brotli
        /// RFC 7932, in a build with the trait of that name.
        case brotli = "br"
    #endif

    /// More than a server could mean by it; each costs a window, of 32 KiB or with Brotli of up to 16 MiB.
    static let limit = 4

    /// Reads `Content-Encoding`, in the order applied; `identity` should not stand there, and means nothing.
    ///
    /// - Returns: `nil` where one of them is unknown.
    static func list(_ field: String?) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for name in field?.split(separator: ",") ?? [] {
            let name = name.filter { $0 != " " && $0 != "\t" }.lowercased()
            if name.isEmpty || name == "identity" { continue }
            guard let coding = ContentCoding(rawValue: name == "x-gzip" ? "gzip" : name) else { return nil }
            codings.append(coding)
        }
        return codings
    }
}

extension HTTPFields {
    /// Asks for the codings that are taken off again, where the user did not ask for any.
    mutating func completeAcceptEncoding(asksForCompression: Bool) {
        // A part of coded bytes cannot be decoded.
        complete(contains(.range) || !asksForCompression ? .acceptIdentity : .acceptCodings)
    }
}

extension HTTPField {
    fileprivate static let acceptIdentity = Self(name: .acceptEncoding, value: "identity")
    fileprivate static let acceptCodings = Self(
        name: .acceptEncoding, value: ContentCoding.allCases.map(\.rawValue).joined(separator: ", "))
}
