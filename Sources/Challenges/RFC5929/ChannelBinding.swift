// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto

/// The binding of an answer to the TLS connection that carries it (RFC 5056), here by the server's certificate.
public struct ChannelBinding: Hashable, Sendable {
    /// What the mechanisms of GSSAPI are given: the binding's name, a colon and the hash.
    package let applicationData: [UInt8]

    /// The binding to the hash of a server's certificate (RFC 5929 section 4).
    ///
    /// - Parameter hash: By the hash function that section 4.1 chooses; not empty.
    public init(tlsServerEndPointHash hash: [UInt8]) {
        applicationData = Array("tls-server-end-point:".utf8) + hash
    }

    /// The binding to a server's certificate (RFC 5929 section 4.1).
    ///
    /// - Parameter certificate: The server's own certificate, DER; of the origin inside a tunnel, not of the proxy.
    /// - Returns: `nil` where the standard defines none: the signature uses no hash function (Ed25519), or one that is unknown.
    public static func tlsServerEndPoint(of certificate: [UInt8]) -> Self? {
        switch CertificateHash(ofSignatureOf: certificate) {
        case .sha256: Self(tlsServerEndPointHash: Array(SHA256.hash(data: certificate)))
        case .sha384: Self(tlsServerEndPointHash: Array(SHA384.hash(data: certificate)))
        case .sha512: Self(tlsServerEndPointHash: Array(SHA512.hash(data: certificate)))
        case nil: nil
        }
    }
}
