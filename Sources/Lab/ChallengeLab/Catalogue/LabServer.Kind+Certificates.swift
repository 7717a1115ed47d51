// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import SwiftASN1
import X509

extension LabServer.Kind {
    // MARK: Servers without a fault

    static let goodKinds: [Self] = [
        .plainHTTP, .goodHTTPS,
    ]

    /// An http server without TLS.
    ///
    /// `/index.html` is the catalogue, and `/fault/NAME` shows a fault of ``Fault/ofHTTP1``.
    public static let plainHTTP = Self(
        rawValue: "plain-http", group: .good,
        presents: "http without TLS; /index.html is the catalogue, /image.png, /ca.pem, /bytes/N, /echo, /fault/NAME",
        scheme: .http, tls: nil)

    /// An https server with a chain of the lab's authority and the same resources as the http server.
    public static let goodHTTPS = trusted("good-https", "a chain of the lab's authority; the same resources", in: .good)
    { $0.good }

    // MARK: Certificates

    static let certificateKinds: [Self] = [
        .p384, .rsa2048, .address, .wildcard, .reorderedChain, .extraCertificates, .expiredTwin, .crossSignedRoot,
        .nameConstraintsMet, .selfSigned, .unknownRoot, .expired, .notYetValid, .expiredIntermediate, .wrongHost,
        .wrongAddress, .addressAsName, .noAlternativeName, .wildcardForParent, .wildcardForTwoLabels, .wildcardAlone,
        .wildcardInLabel, .wildcardInAddress, .missingIntermediate, .badSignature, .sha1, .rsa1024,
        .issuerIsNoAuthority, .issuerKeyUsage, .issuerPurpose, .pathTooLong, .nameNotPermitted, .nameExcluded,
        .clientPurpose, .wrongKeyUsage, .unknownCriticalExtension,
    ]

    /// A server with a key on P-384.
    public static let p384 = trusted("p-384", "a key on P-384") { try $0.server { $0.key = .p384 } }

    /// A server with an RSA key of 2,048 bits.
    public static let rsa2048 = trusted("rsa-2048", "an RSA key of 2,048 bits") { try $0.server { $0.key = .rsa2048 } }

    /// A server with a certificate for the address 127.0.0.1.
    public static let address = trusted("address", "a certificate for the address 127.0.0.1", host: "127.0.0.1") {
        $0.good
    }

    /// A server with a certificate for `*.lab.localhost`.
    public static let wildcard = trusted("wildcard", "a certificate for *.lab.localhost", host: "www.lab.localhost") {
        try $0.server { $0.names = [.dnsName("*.lab.localhost")] }
    }

    /// A server that sends the leaf, then the upper of two intermediates, then the lower.
    public static let reorderedChain = trusted(
        "reordered-chain", "the leaf, then the upper of two intermediates, then the lower"
    ) {
        try $0.serverWithLongChain().arranged([0, 2, 1])
    }

    /// A server that sends an unrelated certificate between the leaf and its intermediate, and also the root.
    public static let extraCertificates = trusted(
        "extra-certificates", "unrelated certificates between the leaf and its intermediate, and the root"
    ) {
        let good = $0.good
        return try Identity(
            chain: [good.certificate, $0.untrustedRoot.certificate] + good.chain.dropFirst() + [$0.root.certificate],
            privateKey: good.privateKey)
    }

    /// A server that sends an expired certificate of the intermediate before the valid one.
    public static let expiredTwin = trusted(
        "expired-twin", "an expired certificate of the intermediate before the valid one"
    ) {
        try $0.expiredTwin()
    }

    /// A server that sends an expired cross certificate with the root's key, as with AddTrust in 2020.
    public static let crossSignedRoot = trusted(
        "cross-signed-root", "the root's key in an expired certificate of another root, as with AddTrust in 2020"
    ) {
        try $0.crossSignedRoot()
    }

    /// A server whose intermediate may issue only for localhost.
    public static let nameConstraintsMet = trusted("name-constraints-met", "an intermediate for localhost only") {
        let names = $0.dnsNames
        return try $0.server(of: $0.authority { $0.permits(dnsNames: names) }) {
            $0.names = names.map(GeneralName.dnsName)
        }
    }

    /// A server with a self-signed certificate.
    public static let selfSigned = distrusted("self-signed", "a self-signed certificate", "self-signed") {
        try $0.selfSigned()
    }

    /// A server with a chain to an unknown root.
    public static let unknownRoot = distrusted("unknown-root", "a chain of an unknown authority", "unknown-root") {
        try $0.server(of: $0.untrustedRoot).appending($0.untrustedRoot.certificate)
    }

    /// A server with a certificate that expired yesterday.
    public static let expired = distrusted("expired", "a certificate that expired yesterday", "expired") {
        try $0.server { ($0.begin, $0.end) = (days(-30), days(-1)) }
    }

    /// A server with a certificate that becomes valid tomorrow.
    public static let notYetValid = distrusted(
        "not-yet-valid", "a certificate that is valid from tomorrow", "not-yet-valid"
    ) {
        try $0.server { ($0.begin, $0.end) = (days(1), days(30)) }
    }

    /// A server with an intermediate that expired yesterday.
    public static let expiredIntermediate = distrusted(
        "expired-intermediate", "an intermediate that expired yesterday", "expired"
    ) {
        try $0.server(of: $0.authority { ($0.begin, $0.end) = (days(-30), days(-1)) })
    }

    /// A server with a certificate for elsewhere.test.
    public static let wrongHost = distrusted("wrong-host", "a certificate for elsewhere.test", "host-mismatch") {
        try $0.server { $0.names = [.dnsName("elsewhere.test")] }
    }

    /// A server at 127.0.0.1 with a certificate for 127.0.0.2.
    public static let wrongAddress = distrusted(
        "wrong-address", "a certificate for 127.0.0.2, reached at 127.0.0.1", "host-mismatch", host: "127.0.0.1"
    ) {
        try $0.server { $0.names = [.dnsName("localhost"), .address([127, 0, 0, 2])] }
    }

    /// A server with a certificate that contains 127.0.0.1 as a DNS name.
    public static let addressAsName = distrusted(
        "address-as-name", "127.0.0.1 as a DNS name", "host-mismatch", host: "127.0.0.1"
    ) {
        try $0.server { $0.names = [.dnsName("127.0.0.1")] }
    }

    /// A server with a certificate that has a common name but no subject alternative name.
    public static let noAlternativeName = distrusted(
        "no-alternative-name", "a common name and no subject alternative name", "no-subject-alternative-names"
    ) {
        try $0.server { $0.names = nil }
    }

    /// A server at localhost with a certificate for `*.localhost`.
    public static let wildcardForParent = distrusted(
        "wildcard-for-parent", "a certificate for *.localhost, reached at localhost", "host-mismatch"
    ) {
        try $0.server { $0.names = [.dnsName("*.localhost")] }
    }

    /// A server at www.lab.localhost with a certificate for `*.localhost`.
    public static let wildcardForTwoLabels = distrusted(
        "wildcard-for-two-labels", "a certificate for *.localhost, reached at www.lab.localhost", "host-mismatch",
        host: "www.lab.localhost"
    ) {
        try $0.server { $0.names = [.dnsName("*.localhost")] }
    }

    /// A server with a certificate for `*`.
    public static let wildcardAlone = distrusted("wildcard-alone", "a certificate for *", "host-mismatch") {
        try $0.server { $0.names = [.dnsName("*")] }
    }

    /// A server with a certificate for `local*`.
    public static let wildcardInLabel = distrusted("wildcard-in-label", "a certificate for local*", "host-mismatch") {
        try $0.server { $0.names = [.dnsName("local*")] }
    }

    /// A server with a certificate for `*.0.0.1`.
    public static let wildcardInAddress = distrusted(
        "wildcard-in-address", "a certificate for *.0.0.1", "host-mismatch", host: "127.0.0.1"
    ) {
        try $0.server { $0.names = [.dnsName("*.0.0.1")] }
    }

    /// A server that sends a leaf without the intermediate that issued it.
    public static let missingIntermediate = distrusted(
        "missing-intermediate", "a leaf without the intermediate that issued it", "issuer-not-found"
    ) {
        try $0.good.arranged([0])
    }

    /// A server with a leaf whose signature has a wrong bit.
    public static let badSignature = distrusted(
        "bad-signature", "a leaf whose signature has a wrong bit", "bad-signature"
    ) { try $0.server().forged() }

    /// A server with a leaf whose signature uses SHA-1.
    public static let sha1 = distrusted("sha-1", "a leaf whose signature uses SHA-1", "weak-signature") {
        try $0.server(of: $0.authority { $0.key = .rsa2048 }) { $0.algorithm = .sha1WithRSAEncryption }
    }

    /// A server with an RSA key of 1,024 bits.
    public static let rsa1024 = distrusted("rsa-1024", "an RSA key of 1,024 bits", "weak-key") {
        try $0.server { $0.key = .rsa1024 }
    }

    /// A server with a leaf that was issued by another server's certificate.
    public static let issuerIsNoAuthority = distrusted(
        "issuer-is-no-authority", "a leaf that another server's certificate issued", "not-an-authority"
    ) {
        try $0.server(of: $0.authority { $0.constraints = .notCertificateAuthority })
    }

    /// A server with an intermediate whose key usage does not include signing certificates.
    public static let issuerKeyUsage = distrusted(
        "issuer-key-usage", "an intermediate whose key may not sign certificates", "key-usage"
    ) {
        try $0.server(of: $0.authority { $0.keyUsage = KeyUsage(cRLSign: true) })
    }

    /// A server with an intermediate that may issue only client certificates.
    public static let issuerPurpose = distrusted(
        "issuer-purpose", "an intermediate for client certificates only", "extended-key-usage"
    ) {
        try $0.server(of: $0.authority { $0.purposes = [.clientAuth] })
    }

    /// A server with two intermediates below one whose path length allows none.
    public static let pathTooLong = distrusted(
        "path-too-long", "two intermediates below one whose path length allows none", "path-too-long"
    ) {
        try $0.serverWithLongChain { $0.constraints = .isCertificateAuthority(maxPathLength: 0) }
    }

    /// A server with an intermediate that may issue only for elsewhere.test.
    public static let nameNotPermitted = distrusted(
        "name-not-permitted", "an intermediate for elsewhere.test only", "name-constraints"
    ) {
        try $0.server(of: $0.authority { $0.permits(dnsNames: ["elsewhere.test"]) })
    }

    /// A server with an intermediate that may issue for all names except localhost.
    public static let nameExcluded = distrusted(
        "name-excluded", "an intermediate for all names but localhost", "name-constraints"
    ) {
        try $0.server(of: $0.authority { $0.excludes(dnsName: "localhost") })
    }

    /// A server with a client certificate.
    public static let clientPurpose = distrusted("client-purpose", "a certificate for clients", "extended-key-usage") {
        try $0.server { $0.purposes = [.clientAuth] }
    }

    /// A server with an RSA key whose key usage allows only signing certificates.
    public static let wrongKeyUsage = distrusted(
        "wrong-key-usage", "an RSA key that may only sign certificates", "key-usage"
    ) {
        // BoringSSL does not serve an EC key whose key usage lacks digital signatures.
        try $0.server { ($0.key, $0.keyUsage) = (.rsa2048, KeyUsage(keyCertSign: true)) }
    }.expecting(.noSecureConnection, "tls.handshake-failed")

    /// A server with a certificate that has an unknown critical extension.
    public static let unknownCriticalExtension = distrusted(
        "unknown-critical-extension", "an unknown critical extension", "unknown-critical-extension"
    ) {
        try $0.server {
            $0.extensions = [.init(oid: [1, 3, 6, 1, 4, 1, 32_473, 1], critical: true, value: [5, 0])]
        }
    }
}

/// Converts a number of days to seconds.
private func days(_ count: Double) -> Double { count * 86_400 }
