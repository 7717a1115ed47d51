// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

#if OpenSSL
    import COpenSSLShim
#endif

/// The signatures of the algorithms that swift-crypto lacks, which the system's OpenSSL verifies.
enum OpenSSLSignatures {
    /// The reason why OpenSSL verifies no signatures; `nil` if it does.
    ///
    /// It is computed when the first such algorithm is met, so that other programs do not load OpenSSL.
    static let problem: UnsupportedAlgorithm.Reason? = {
        #if OpenSSL
            // The first version without the endless loop in a certificate's curve of CVE-2022-0778.
            copenssl_version() >= 0x3000_0020 && copenssl_start_signatures() == 1 ? nil : .library
        #else
            .trait
        #endif
    }()

    /// Returns whether a key made a signature.
    ///
    /// - Parameters:
    ///   - signature: The signature, with ECDSA-Sig-Value for ECDSA.
    ///   - bytes: The signed bytes.
    ///   - key: The SubjectPublicKeyInfo, with a named curve if it is a key for ECDSA.
    ///   - algorithm: The algorithm.
    /// - Returns: Whether the signature is valid; `false` without OpenSSL.
    static func isValid(
        _ signature: ArraySlice<UInt8>, for bytes: ArraySlice<UInt8>, key: some ContiguousBytes,
        by algorithm: CertificateSignatureAlgorithm
    ) -> Bool {
        #if OpenSSL
            guard problem == nil else { return false }
            switch algorithm {
            case .rsa(let hash), .ecdsa(let hash):
                return isValid(signature, bytes, key, digest: hash.rawValue, mask: nil, saltLength: 0)
            case .pss(let parameters):
                return isValid(
                    signature, bytes, key, digest: parameters.hash.rawValue, mask: parameters.maskHash.rawValue,
                    saltLength: parameters.saltLength)
            case .ed448: return isValid(signature, bytes, key, digest: nil, mask: nil, saltLength: 0)
            case .ed25519, .broken, .unsupported: return false
            }
        #else
            return false
        #endif
    }

    #if OpenSSL
        private static func isValid(
            _ signature: ArraySlice<UInt8>, _ bytes: ArraySlice<UInt8>, _ key: some ContiguousBytes, digest: String?,
            mask: String?, saltLength: Int
        ) -> Bool {
            withOptionalCString(digest) { digest in
                withOptionalCString(mask) { mask in
                    let rules = copenssl_signature_rules(
                        digest: digest, mask_digest: mask, salt_length: CInt(clamping: saltLength))
                    return key.withUnsafeBytes { key in
                        signature.withUnsafeBytes { signature in
                            bytes.withUnsafeBytes { bytes in
                                copenssl_is_signature_valid(
                                    key.baseAddress, key.count, rules, signature.baseAddress, signature.count,
                                    bytes.baseAddress, bytes.count) == 1
                            }
                        }
                    }
                }
            }
        }

        private static func withOptionalCString(
            _ text: String?, _ body: (UnsafePointer<CChar>?) -> Bool
        ) -> Bool {
            text?.withCString(body) ?? body(nil)
        }
    #endif
}
