// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import SwiftASN1
import X509

extension LabServer.Kind {
    // MARK: Revocation

    static let revocationKinds: [Self] = [
        .notRevokedByList, .notRevokedByResponder, .revokedByList, .revokedByResponder, .revokedIntermediate,
        .revocationUnanswered, .revocationOutdated, .revocationForged, .mustStaple, .stapled, .stapleOutdated,
        .stapleOfOtherCertificate, .stapleRevoked, .fetchableIntermediate,
    ]

    /// A server with a certificate that is not on the current revocation list.
    public static let notRevokedByList = revocable(
        "not-revoked-by-list", "a certificate that is not on the current revocation list", .list(isRevoked: false))

    /// A server with a certificate whose OCSP status is good.
    public static let notRevokedByResponder = revocable(
        "not-revoked-by-responder", "a certificate that an OCSP responder calls good", .response(isRevoked: false),
        needs: [.responders])

    /// A server with a certificate that is on the revocation list.
    public static let revokedByList = revocable(
        "revoked-by-list", "a certificate that is on a revocation list", .list(isRevoked: true), code: "revoked")

    /// A server with a certificate whose OCSP status is revoked.
    public static let revokedByResponder = revocable(
        "revoked-by-responder", "a certificate that an OCSP responder calls revoked", .response(isRevoked: true),
        code: "revoked", needs: [.responders])

    /// A server with an intermediate that is on the root's revocation list.
    public static let revokedIntermediate = revocable(
        "revoked-intermediate", "an intermediate that is on the root's revocation list", .listOfAuthority,
        code: "revoked")

    /// A server with a certificate whose revocation list is missing at its URL.
    public static let revocationUnanswered = revocable(
        "revocation-unanswered", "a certificate whose revocation list is missing at its URL", .nothing,
        code: "revocation-unknown")

    /// A server with a certificate whose revocation list has expired.
    public static let revocationOutdated = revocable(
        "revocation-outdated", "a revocation list that is out of date", .outdatedList, code: "revocation-unknown")

    /// A server with a certificate whose revocation list was signed by another authority.
    public static let revocationForged = revocable(
        "revocation-forged", "a revocation list that another authority signed", .forgedList, code: "revocation-unknown")

    /// A server whose certificate requires a stapled OCSP response (RFC 7633), which the server does not send.
    public static let mustStaple = stapling(
        "must-staple", "a certificate that requires a stapled OCSP response, and no such response", nil,
        code: "revocation-unknown")

    /// A server that staples the good OCSP response that its certificate requires.
    public static let stapled = stapling(
        "stapled", "a certificate that requires a stapled OCSP response, and a good one", .good)

    /// A server that staples an expired OCSP response.
    public static let stapleOutdated = stapling(
        "staple-outdated", "a certificate that requires a stapled OCSP response, and an expired one", .outdated,
        code: "bad-staple")

    /// A server that staples an OCSP response about another certificate.
    public static let stapleOfOtherCertificate = stapling(
        "staple-of-other-certificate", "a certificate that requires a stapled OCSP response, and that of another one",
        .ofOtherCertificate, code: "bad-staple")

    /// A server that staples an OCSP response that its certificate is revoked.
    public static let stapleRevoked = stapling(
        "staple-revoked", "a stapled OCSP response that calls the certificate revoked", .revoked, code: "revoked")

    /// A server that sends a leaf with the URL of its missing intermediate.
    public static let fetchableIntermediate = trusted(
        "fetchable-intermediate", "a leaf with the URL of its missing intermediate", in: .revocation,
        needs: [.missingIssuers]
    ) { try $0.fetchable("fetchable-intermediate") }

    // MARK: Certificate Transparency

    static let transparencyKinds: [Self] = [
        .timestampsByTLS, .timestampsMissing,
    ]

    /// A server that sends timestamps of two logs by TLS (RFC 6962 section 3.3.1).
    public static let timestampsByTLS = Self(
        rawValue: "timestamps-by-tls", group: .transparency,
        presents: "timestamps of two logs in the TLS extension signed_certificate_timestamp", needs: [.logList],
        tls: TLS(chain: { try $0.server() }, sendsTimestamps: true))

    /// A server with a trusted chain without timestamps.
    public static let timestampsMissing = distrusted(
        "timestamps-missing", "a trusted chain without timestamps of Certificate Transparency logs",
        "transparency-insufficient", in: .transparency, needs: [.logList]
    ) {
        $0.good
    }

    // MARK: Pins

    static let pinKinds: [Self] = [
        .pinRight, .pinWrong,
    ]

    /// A server with the pinned key.
    public static let pinRight = trusted("pin-right", "a chain with the pinned key", in: .pins, needs: [.pin]) {
        $0.good
    }

    /// A server with a trusted chain without the pinned key.
    public static let pinWrong = distrusted(
        "pin-wrong", "a trusted chain without the pinned key", "pin-mismatch", in: .pins, needs: [.pin]
    ) {
        try $0.server(of: $0.authority())
    }

    // MARK: TLS

    static let tlsKinds: [Self] = [
        .tls12, .tls13, .tls10, .tls11, .noTLS, .cutBody,
    ]

    /// A server that supports only TLS 1.2.
    public static let tls12 = version(.tls12, "1.2")

    /// A server that supports only TLS 1.3.
    public static let tls13 = version(.tls13, "1.3")

    /// A server that supports only TLS 1.0.
    public static let tls10 = version(.tls10, "1.0", failureCode: "tls.no-common-version")

    /// A server that supports only TLS 1.1.
    public static let tls11 = version(.tls11, "1.1", failureCode: "tls.no-common-version")

    /// A server with an https URL that does not use TLS.
    public static let noTLS = Self(
        rawValue: "no-tls", group: .tls, presents: "http without TLS at an https URL", expectation: .noSecureConnection,
        failureCode: "tls.not-tls", tls: nil, fault: .plainHTTP)

    /// A server that sends a body without a length and closes the connection without a TLS close_notify alert.
    public static let cutBody = Self(
        rawValue: "cut-body", group: .tls, presents: "a body without a length, cut off without TLS's close_notify",
        expectation: .truncated, failureCode: "body.truncated", path: "/fault/cut-in-body")

    // MARK: Client certificates

    static let clientCertificateKinds: [Self] = [
        .clientCertificateRequired, .clientCertificateWanted, .untrustedAndClientCertificateRequired,
        .clientCertificateWrongIssuer,
    ]

    /// A server that requires a client certificate of the lab's authority.
    public static let clientCertificateRequired = asking(
        "client-certificate-required", "a mandatory request for a client certificate of the lab's authority",
        for: .required)

    /// A server that requests a client certificate of the lab's authority, but does not require it.
    public static let clientCertificateWanted = asking(
        "client-certificate-wanted", "an optional request for a client certificate of the lab's authority", for: .wanted
    )

    /// A server with a chain to an unknown root that requires a client certificate.
    public static let untrustedAndClientCertificateRequired = Self(
        rawValue: "untrusted-and-client-certificate", group: .clientCertificates,
        presents: "an unknown root and a mandatory request for a client certificate",
        expectation: .deliveredOnceAccepted,
        needs: [.identity], method: .clientCertificate,
        tls: .init(chain: { try $0.server(of: $0.untrustedRoot) }, clientCertificate: .required))

    /// A server that requires a client certificate of another authority.
    public static let clientCertificateWrongIssuer = asking(
        "client-certificate-wrong-issuer", "a mandatory request for a client certificate of another authority",
        for: .requiredOfOtherAuthority
    )
    .expecting(.notAuthenticated, "tls.client-certificate-refused")
}
