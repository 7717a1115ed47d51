// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// This is the sample of the article "Load an interface over HTTPS"; a test compares them.

import Countersign
import Crypto
import NIOCore
import NibArchive

/// The errors of downloading an interface.
enum NibDownloadError: Error, Equatable {
    case status(Int)
    case digestMismatch(String)
}

/// Downloads an interface, and decodes it only if its SHA-256 digest in hexadecimal is the expected one.
func interface(at url: String, over session: HTTPSession, digest expected: String) async throws -> Nib {
    let response = try await session.get(url)
    guard response.status == .ok else { throw NibDownloadError.status(response.status.code) }
    let bytes = Array(try await response.body.collect(upTo: Nib.maximumByteCount).readableBytesView)
    let digest = SHA256.hash(data: bytes).map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
    guard digest == expected else { throw NibDownloadError.digestMismatch(digest) }
    return try Nib(data: bytes)
}

/// Returns a session that trusts only one server key.
func session(pin: String, anchors: TrustPolicy.Anchors = .system) throws -> HTTPSession {
    HTTPSession(trust: TrustPolicy(anchors: anchors, pins: [try Pin(pin)]))
}
