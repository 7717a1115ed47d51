// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import HTTPTypes

/// A compression coding for the transfer of a representation (RFC 9110 section 8.4.1).
@nonexhaustive
public enum ContentCoding: String, CaseIterable, Hashable, Sendable {
    /// The format of RFC 1952, with one or several members; `x-gzip` is the same coding.
    case gzip
    /// The format of RFC 1950. RFC 1951 data without that wrapper is decoded too, because some servers send it.
    case deflate
    #if Brotli
        /// The format of RFC 7932, available in a build with the trait `Brotli`.
        case brotli = "br"
    #endif
    #if Zstd
        /// The format of RFC 8878, with windows of at most 8 MiB (RFC 9659), available in a build with the trait `Zstd`.
        case zstd
    #endif

    /// The maximum number of codings of a body; more serve no purpose.
    ///
    /// Each one needs a window of 32 KiB, or of up to 16 MiB for Brotli and 8 MiB for Zstandard.
    static let limit = 4

    /// Reads `Content-Encoding`, in the order applied.
    ///
    /// `identity` should not occur there, and is ignored (RFC 9110 section 12.5.3); some servers write `none` instead,
    /// which curl accepts too.
    ///
    /// - Returns: The codings; if one is unknown, no codings and the name of the first unknown one.
    static func list(_ field: String?) -> (codings: [ContentCoding], unknown: String?) {
        var codings: [ContentCoding] = []
        for name in field?.split(separator: ",") ?? [] {
            let name = name.filter { $0 != " " && $0 != "\t" }.lowercased()
            if name.isEmpty || name == "identity" || name == "none" { continue }
            guard let coding = ContentCoding(rawValue: name == "x-gzip" ? "gzip" : name) else { return ([], name) }
            codings.append(coding)
        }
        return (codings, nil)
    }
}

/// A limit on the growth of a body by decoding, so that a small body cannot exhaust the reader's memory.
///
/// Up to ``allowance`` bytes every body is decoded; beyond that, ``ratio`` applies. Ordinary text and repetitive logs
/// stay below the default ratio, while a stream of zeros reaches 1,000 in one coding and 1,000,000 in two. The default
/// allowance is a size that a program can hold in memory, so that small bodies of any content are decoded. A body
/// beyond the limit fails with ``LimitError/expansionExceeded(_:received:decoded:)``.
public struct ExpansionLimit: Hashable, Sendable {
    /// The largest number of decoded bytes for each received byte.
    public var ratio: Int
    /// The number of decoded bytes that are allowed at any ratio.
    public var allowance: Int

    /// Makes a limit; by default 100 times the number of received bytes, and at least 64 MiB.
    ///
    /// - Parameters:
    ///   - ratio: The largest number of decoded bytes for each received byte; less than 1 counts as 1.
    ///   - allowance: The number of decoded bytes that are allowed at any ratio; less than 0 counts as 0.
    public init(ratio: Int = 100, allowance: Int = 64 << 20) {
        self.ratio = max(1, ratio)
        self.allowance = max(0, allowance)
    }

    func allows(_ decoded: Int, from received: Int) -> Bool {
        decoded <= allowance || (decoded - 1) / max(1, ratio) < received
    }
}

extension HTTPFields {
    /// Adds an `Accept-Encoding` field with the codings that the session can decode, or with `identity`, unless the
    /// request has such a field.
    mutating func completeAcceptEncoding(asksForCompression: Bool) {
        // A part of a coded representation cannot be decoded.
        complete(contains(.range) || !asksForCompression ? .acceptIdentity : .acceptCodings)
    }
}

extension HTTPField {
    fileprivate static let acceptIdentity = Self(name: .acceptEncoding, value: "identity")
    fileprivate static let acceptCodings = Self(
        name: .acceptEncoding, value: ContentCoding.allCases.map(\.rawValue).joined(separator: ", "))
}
