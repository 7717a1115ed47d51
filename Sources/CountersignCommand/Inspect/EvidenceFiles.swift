// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSupport

/// Revocation lists, OCSP responses and signed certificate timestamps in files.
struct EvidenceFiles {
    let lists: [String]
    let responses: [String]
    let timestamps: String?

    func read() throws -> RevocationEvidence {
        RevocationEvidence(
            lists: try lists.map { path in try Self.naming(path) { bytes in try Self.list(bytes) } },
            responses: try responses.map { path in
                .init(try Self.naming(path) { bytes in try OCSPResponse(derEncoded: bytes) })
            })
    }

    func readTimestamps() throws -> TimestampList? {
        try timestamps.map { path in try Self.naming(path) { bytes in try TimestampList(tlsEncoded: bytes) } }
    }

    private static func list(_ bytes: [UInt8]) throws -> CertificateRevocationList {
        guard bytes.starts(with: "-----BEGIN".utf8) else { return try CertificateRevocationList(derEncoded: bytes) }
        return try CertificateRevocationList(pemEncoded: String(decoding: bytes, as: UTF8.self))
    }

    private static func naming<Value>(_ path: String, _ body: ([UInt8]) throws -> Value) throws -> Value {
        try InputFile.naming(path) {
            try body(InputFile.read(path))
        }
    }
}
