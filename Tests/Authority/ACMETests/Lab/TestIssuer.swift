// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers
import CertificateAuthorities
import CertificateTrust
import Foundation
import X509

/// An issuer with this package's authority that records the issued certificates.
actor TestIssuer: CertificateIssuer {
    struct Failure: Error {}

    private static let roots = Result {
        let root = try CertificateAuthority(name: "ACME test root", now: Date())
        return try root.issueIntermediate(name: "ACME test issuer", now: Date())
    }

    let authority: CertificateAuthority
    private let clock: TestClock
    private var issued: [Certificate.SerialNumber: Certificate] = [:]
    private(set) var revocations: [Certificate.SerialNumber: RevocationReason] = [:]
    private(set) var requests: [CertificateRequest] = []
    private(set) var profiles: [String?] = []
    private var isFailing = false
    private var delay = Duration.zero

    init(clock: TestClock) throws {
        authority = try Self.roots.get()
        self.clock = clock
    }

    func fail() { isFailing = true }

    func wait(_ delay: Duration) { self.delay = delay }

    nonisolated func mayIssue(for identifier: ACMEIdentifier) async -> Bool {
        !identifier.value.hasSuffix("forbidden.example")
    }

    func issue(
        _ request: CertificateRequest, for identifiers: [ACMEIdentifier], profile: String?
    ) async throws -> [Certificate] {
        requests.append(request)
        profiles.append(profile)
        if delay > .zero { try await Task.sleep(for: delay) }
        if isFailing { throw Failure() }
        return try issue(identifiers.map(\.value), for: request.publicKey)
    }

    /// Issues a certificate without ACME.
    func issue(
        _ names: [String], for key: Certificate.PublicKey, validity: Validity = .days(47)
    ) throws -> [Certificate] {
        let chain = try authority.issue(.server(names: names, validity: validity), for: key, now: clock.now)
        issued[chain[0].serialNumber] = chain[0]
        return chain
    }

    func revoke(_ serialNumber: Certificate.SerialNumber, reason: RevocationReason) async throws -> Bool {
        guard issued[serialNumber] != nil else { throw Failure() }
        return revocations.updateValue(reason, forKey: serialNumber) == nil
    }

    func certificate(_ serialNumber: Certificate.SerialNumber) async throws -> IssuedStatus? {
        issued[serialNumber].map { IssuedStatus(certificate: $0, isRevoked: revocations[serialNumber] != nil) }
    }
}
