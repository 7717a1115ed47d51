// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import Crypto
internal import Secrets

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Makes nonces that cost nothing until they are used (RFC 8555 section 6.5): a time, random bytes, and their HMAC.
struct Nonces: Sendable {
    /// For how long a nonce can be used.
    static let lifetime: TimeInterval = 3_600
    private static let bodyLength = 24
    private static let tagLength = 16
    private let key: SymmetricKey

    init(key: Secret) { self.key = key.withUnsafeBytes { SymmetricKey(data: $0) } }

    func make(now: Date) -> String {
        let seconds = UInt64(max(0, now.timeIntervalSince1970))
        var bytes = (0..<8).map { UInt8(truncatingIfNeeded: seconds >> (56 - 8 * UInt64($0))) }
        bytes += (8..<Self.bodyLength).map { _ in UInt8.random(in: .min ... .max) }
        return Base64URL.encode(bytes + tag(of: bytes))
    }

    /// When a nonce of this server ends; `nil` for all others and for those that are over.
    func end(of nonce: String, now: Date) -> Date? {
        guard let bytes = Base64URL.decode(nonce), bytes.count == Self.bodyLength + Self.tagLength else { return nil }
        let body = Array(bytes.prefix(Self.bodyLength))
        // The key is the server's own, and a wrong guess is as good as any other: the time of the comparison tells nothing of use,
        // and is constant all the same.
        let differences = zip(tag(of: body), bytes.suffix(Self.tagLength)).reduce(0) { $0 | ($1.0 ^ $1.1) }
        guard differences == 0 else { return nil }
        let seconds = body.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let end = Date(timeIntervalSince1970: TimeInterval(seconds)) + Self.lifetime
        return end > now ? end : nil
    }

    private func tag(of bytes: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key).prefix(Self.tagLength))
    }
}
