// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a certificate for a server or a client is to say.
public struct LeafProfile: Hashable, Sendable {
    /// What the certificate's key may do; each certificate has one purpose.
    public enum Purpose: Hashable, Sendable {
        /// To prove who a TLS server is (`id-kp-serverAuth`).
        case server
        /// To prove who a TLS client is (`id-kp-clientAuth`).
        case client
    }

    /// What the key may do.
    public let purpose: Purpose
    /// The subject's common name: a server's first name or a client's name; nothing is matched against it.
    public let commonName: String
    /// The subject alternative names as text: DNS names and IP literals.
    public let names: [String]
    /// When the certificate is valid.
    public var validity: Validity
    /// The kind of key made for it.
    public var keyType: CertificateAuthority.KeyType

    /// A server's certificate.
    ///
    /// - Parameters:
    ///   - names: DNS names in A-label form (`*.` allowed in front) and IP literals, without brackets; at least one.
    ///   - validity: 47 days unless said otherwise, the longest that browsers will take from 2029 on.
    ///   - keyType: P-256 unless said otherwise.
    /// - Returns: The profile; its names are checked when a certificate is made.
    public static func server(
        names: [String], validity: Validity = .days(47), keyType: CertificateAuthority.KeyType = .p256
    ) -> Self {
        Self(purpose: .server, commonName: names.first ?? "", names: names, validity: validity, keyType: keyType)
    }

    /// A client's certificate.
    ///
    /// - Parameters:
    ///   - name: The subject's common name, 1 to 64 characters.
    ///   - validity: 47 days unless said otherwise.
    ///   - keyType: P-256 unless said otherwise.
    /// - Returns: The profile; its name is checked when a certificate is made.
    public static func client(
        name: String, validity: Validity = .days(47), keyType: CertificateAuthority.KeyType = .p256
    ) -> Self {
        Self(purpose: .client, commonName: name, names: [], validity: validity, keyType: keyType)
    }
}
