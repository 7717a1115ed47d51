// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1

/// An algorithm of a certificate's key or signature with which this program cannot verify signatures.
public struct UnsupportedAlgorithm: Hashable, Sendable, Codable {
    /// The reason why the algorithm cannot be used.
    @nonexhaustive
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
        /// Neither BoringSSL nor OpenSSL is used for the algorithm.
        case unknown
        /// The key, or the parameters of the algorithm, do not have the form that the standard requires.
        case malformed
        /// The program was built without the trait OpenSSL.
        case trait = "open-ssl-trait"
        /// OpenSSL 3.0.2 or later is not installed.
        case library = "open-ssl-library"
    }

    /// The name of the algorithm, such as `brainpoolP256r1`, or its object identifier if it has no known name.
    public let name: String
    /// The reason why the algorithm cannot be used.
    public let reason: Reason

    init(_ name: String, _ reason: Reason) {
        (self.name, self.reason) = (name, reason)
    }
}

/// The names of the algorithms of keys and signatures that are recognized but not necessarily supported.
enum AlgorithmNames {
    /// Returns the name of the algorithm with the content octets of an object identifier.
    static func name(of identifier: ArraySlice<UInt8>) -> String {
        let text = ASN1Identifiers.text(identifier)
        return names[text] ?? text
    }

    private static let names: [String: String] = [
        "1.2.840.113549.1.1.1": "RSA", "1.2.840.113549.1.1.7": "RSAES-OAEP", "1.2.840.113549.1.1.10": "RSASSA-PSS",
        "1.2.840.113549.1.1.15": "RSA with SHA-512/224", "1.2.840.113549.1.1.16": "RSA with SHA-512/256",
        "1.2.840.10040.4.1": "DSA", "1.2.840.10040.4.3": "DSA with SHA-1", "2.16.840.1.101.3.4.3.1": "DSA with SHA-224",
        "2.16.840.1.101.3.4.3.2": "DSA with SHA-256", "2.16.840.1.101.3.4.3.3": "DSA with SHA-384",
        "2.16.840.1.101.3.4.3.4": "DSA with SHA-512", "1.2.840.113549.1.3.1": "Diffie-Hellman",
        "1.2.840.10046.2.1": "Diffie-Hellman", "1.2.840.10045.2.1": "ECDSA",
        "2.16.840.1.101.3.4.3.9": "ECDSA with SHA3-224", "2.16.840.1.101.3.4.3.10": "ECDSA with SHA3-256",
        "2.16.840.1.101.3.4.3.11": "ECDSA with SHA3-384", "2.16.840.1.101.3.4.3.12": "ECDSA with SHA3-512",
        "2.16.840.1.101.3.4.3.13": "RSA with SHA3-224", "2.16.840.1.101.3.4.3.14": "RSA with SHA3-256",
        "2.16.840.1.101.3.4.3.15": "RSA with SHA3-384", "2.16.840.1.101.3.4.3.16": "RSA with SHA3-512",
        "1.3.101.110": "X25519", "1.3.101.111": "X448", "1.3.101.112": "Ed25519", "1.3.101.113": "Ed448",
        "1.2.643.2.2.19": "GOST R 34.10-2001", "1.2.643.2.2.3": "GOST R 34.10-2001 with GOST R 34.11-94",
        "1.2.643.7.1.1.1.1": "GOST R 34.10-2012 with 256 bits", "1.2.643.7.1.1.1.2": "GOST R 34.10-2012 with 512 bits",
        "1.2.643.7.1.1.3.2": "GOST R 34.10-2012 with 256 bits", "1.2.643.7.1.1.3.3": "GOST R 34.10-2012 with 512 bits",
        "1.2.156.10197.1.301": "SM2", "1.2.156.10197.1.501": "SM2 with SM3",
        "2.16.840.1.101.3.4.3.17": "ML-DSA-44", "2.16.840.1.101.3.4.3.18": "ML-DSA-65",
        "2.16.840.1.101.3.4.3.19": "ML-DSA-87", "2.16.840.1.101.3.4.4.1": "ML-KEM-512",
        "2.16.840.1.101.3.4.4.2": "ML-KEM-768", "2.16.840.1.101.3.4.4.3": "ML-KEM-1024",
        "2.16.840.1.101.3.4.3.20": "SLH-DSA-SHA2-128s", "2.16.840.1.101.3.4.3.21": "SLH-DSA-SHA2-128f",
        "1.3.132.0.8": "secp160r1", "1.3.132.0.9": "secp160k1", "1.3.132.0.31": "secp192k1",
        "1.2.840.10045.3.1.1": "P-192", "1.3.132.0.32": "secp224k1", "1.3.132.0.26": "sect233k1",
        "1.3.132.0.27": "sect233r1", "1.3.132.0.16": "sect283k1", "1.3.132.0.17": "sect283r1",
        "1.3.132.0.36": "sect409k1", "1.3.132.0.37": "sect409r1", "1.3.132.0.38": "sect571k1",
        "1.3.132.0.39": "sect571r1", "1.3.36.3.3.2.8.1.1.1": "brainpoolP160r1",
        "1.3.36.3.3.2.8.1.1.3": "brainpoolP192r1",
    ]
}
