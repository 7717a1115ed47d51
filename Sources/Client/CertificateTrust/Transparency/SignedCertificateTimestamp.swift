// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A log's promise to include a certificate, as it is encoded (RFC 6962 section 3.2), not yet verified.
struct SignedCertificateTimestamp: Hashable, Sendable {
    /// How the log signed (RFC 5246 section 7.4.1.4.1); RFC 6962 section 2.1.4 allows these two.
    enum Algorithm: Hashable {
        case ecdsaWithSHA256
        case rsaWithSHA256
    }

    /// SHA-256 of the log's key, 32 octets.
    let logID: [UInt8]
    /// Milliseconds since the beginning of 1970, UTC, as they are signed.
    let milliseconds: UInt64
    let extensions: ArraySlice<UInt8>
    /// `nil` for every other algorithm.
    let algorithm: Algorithm?
    let signature: ArraySlice<UInt8>

    /// To the millisecond.
    var time: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension SignedCertificateTimestamp {
    private static let v1: UInt8 = 0
    private static let sha256: UInt8 = 4
    private static let rsa: UInt8 = 1
    private static let ecdsa: UInt8 = 3

    /// One element of a list.
    enum Reading: Hashable {
        case timestamp(SignedCertificateTimestamp)
        /// The timestamp has another version than 1, so its form is unknown (RFC 6962 section 3.3).
        case unsupportedVersion
        /// The timestamp has version 1, but not the form of that version.
        case malformed
    }

    /// Reads the content of a SerializedSCT.
    static func read(_ bytes: ArraySlice<UInt8>) -> Reading {
        guard let version = bytes.first else { return .malformed }
        guard version == v1 else { return .unsupportedVersion }
        var reader = TLSReader(bytes.dropFirst())
        guard let logID = reader.bytes(32), let milliseconds = reader.bytes(8),
            let extensions = reader.vector(lengthOctets: 2), let algorithms = reader.bytes(2),
            let signature = reader.vector(lengthOctets: 2), !signature.isEmpty, reader.rest.isEmpty
        else { return .malformed }
        let algorithm: Algorithm? =
            switch (algorithms.first, algorithms.last) {
            case (sha256, ecdsa): .ecdsaWithSHA256
            case (sha256, rsa): .rsaWithSHA256
            default: nil
            }
        return .timestamp(
            Self(
                logID: Array(logID), milliseconds: milliseconds.reduce(0) { $0 << 8 | UInt64($1) },
                extensions: extensions, algorithm: algorithm,
                signature: signature))
    }
}
