// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// The server's choices in a ServerHello (RFC 8446 section 4.1.3).
struct ServerHello: Equatable {
    /// The SHA-256 hash of "HelloRetryRequest": a ServerHello with this random requests another ClientHello.
    private static let retryRandom: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
        0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]
    private static let supportedVersions = 43

    let cipherSuite: UInt16
    let isTLS13: Bool
    let isRetryRequest: Bool

    /// Reads a ServerHello; the result is `nil` if the body is malformed.
    init?(_ body: ArraySlice<UInt8>) {
        var reader = TLSReader(body)
        guard reader.bytes(2) != nil, let random = reader.bytes(32), let sessionID = reader.vector(lengthOctets: 1),
            sessionID.count <= 32, let suite = reader.integer(octets: 2), reader.bytes(1) != nil
        else { return nil }
        // A TLS 1.2 ServerHello may end here (RFC 5246 section 7.4.1.3).
        let block = reader.rest.isEmpty ? [] : reader.vector(lengthOctets: 2)
        guard let block, reader.rest.isEmpty, let extensions = TLSExtensions(block) else { return nil }
        cipherSuite = UInt16(truncatingIfNeeded: suite)
        isTLS13 = extensions[Self.supportedVersions].map { Array($0) == [0x03, 0x04] } ?? false
        isRetryRequest = isTLS13 && random.elementsEqual(Self.retryRandom)
    }
}
