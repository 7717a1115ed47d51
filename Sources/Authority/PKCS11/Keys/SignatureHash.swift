// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import X509

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The hash function of a signature, which is computed outside of the token.
enum SignatureHash: CaseIterable {
    case sha256
    case sha384
    case sha512

    init?(_ algorithm: Certificate.SignatureAlgorithm) {
        switch algorithm {
        case .ecdsaWithSHA256, .sha256WithRSAEncryption: self = .sha256
        case .ecdsaWithSHA384, .sha384WithRSAEncryption: self = .sha384
        case .ecdsaWithSHA512, .sha512WithRSAEncryption: self = .sha512
        default: return nil
        }
    }

    func digest(of bytes: some DataProtocol) -> [UInt8] {
        switch self {
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }

    /// The `DigestInfo` that RSASSA-PKCS1-v1_5 signs, by the beginnings in RFC 8017 section 9.2, note 1.
    func digestInfo(_ digest: [UInt8]) -> [UInt8] {
        // The last byte of the object identifier 2.16.840.1.101.3.4.2 tells the function.
        let number: UInt8 =
            switch self {
            case .sha256: 1
            case .sha384: 2
            case .sha512: 3
            }
        let length = UInt8(truncatingIfNeeded: digest.count)
        let beginning: [UInt8] = [
            0x30, length + 17, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, number, 0x05,
            0x00, 0x04, length,
        ]
        return beginning + digest
    }
}
