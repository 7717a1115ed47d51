// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The sample of the article "Load an interface over HTTPS"; a test compares them.

import Countersign
import Crypto
import NIOCore
import NibArchive

/// Why a downloaded interface is not decoded.
enum NibDownloadError: Error, Equatable {
    case status(Int)
    case otherDigest(String)
}

/// Gets an interface, and decodes it only where its SHA-256 digest is the expected one, in hexadecimal.
func interface(at url: String, over session: Session, digest expected: String) async throws -> Nib {
    let response = try await session.get(url)
    guard response.status == .ok else { throw NibDownloadError.status(response.status.code) }
    let bytes = Array(try await response.body.collect(upTo: Nib.mostBytes).readableBytesView)
    let digest = SHA256.hash(data: bytes).map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
    guard digest == expected else { throw NibDownloadError.otherDigest(digest) }
    return try Nib(data: bytes)
}

/// A session that trusts one server's key and no other.
func session(pin: String, anchors: TrustPolicy.Anchors = .system) throws -> Session {
    Session(trust: TrustPolicy(anchors: anchors, pins: [try Pin(pin)]))
}
