// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import EssentialFoundation
import Identities
import SwiftASN1
import X509

/// The authorities of a lab, and the certificates that they issue.
struct LabCertificates: Sendable {
    private static let loopbackNames = ["localhost", "127.0.0.1", "::1"]

    let now: Date
    /// The names and addresses in a correct server certificate.
    let names: [String]
    let reach: LabReach
    let publication: LabPublication
    /// The root authority, which is the clients' anchor.
    let root: Identity
    /// The intermediate authority, with its chain up to the root.
    let intermediate: Identity
    /// An authority that no client trusts.
    let untrustedRoot: Identity
    let client: Identity
    /// The identity of the servers without a fault.
    let good: Identity
    /// The Certificate Transparency logs, one for each of two operators.
    let logs = [LabLog("Countersign Lab Log 1", by: "One"), LabLog("Countersign Lab Log 2", by: "Two")]
    /// The list of the logs in JSON.
    let logList: [UInt8]

    /// The root certificate in PEM.
    var rootPEM: PEMDocument {
        get throws { try root.certificate.serializeAsPEM() }
    }

    init(now: Date, publication: LabPublication = LabPublication(), reach: LabReach = .loopback) throws {
        // swift-certificates rounds to the nearest second, so a certificate that expired a day ago could expire up to
        // half a second later.
        let now = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        let root = try CertificateAuthority(name: "Countersign Lab Root", pathLength: nil, now: now)
        let intermediate = try root.issueIntermediate(name: "Countersign Lab Intermediate", now: now)
        (self.now, self.reach, self.publication) = (now, reach, publication)
        names = Self.loopbackNames + reach.names
        self.root = root.identity
        self.intermediate = intermediate.identity
        untrustedRoot = try CertificateAuthority(name: "Untrusted Root", now: now).identity
        client = try intermediate.issue(.client(name: "Countersign Lab Client"), now: now)
        good = try intermediate.issue(.server(names: names), now: now)
        logList = try LabLog.json(of: logs)
    }

    /// The names in a correct server certificate, without the addresses.
    var dnsNames: [String] { names.filter { (try? HostName($0))?.isAddress == false } }

    /// Returns a server identity, by default issued by the intermediate.
    ///
    /// Its chain omits the root.
    func server(
        of authority: Identity? = nil, _ change: (inout LabCertificate) -> Void = { _ in }
    ) throws -> Identity {
        var recipe = LabCertificate()
        recipe.names = names.map(GeneralName.init(host:))
        change(&recipe)
        let issued = try issue(recipe, by: authority ?? intermediate)
        return try Identity(chain: issued.chain.dropLast(), privateKey: issued.privateKey)
    }

    /// Returns a new authority below the root.
    func authority(_ change: (inout LabCertificate) -> Void = { _ in }) throws -> Identity {
        try authority(named: "Countersign Lab Special Intermediate", below: root, change)
    }

    private func authority(
        named name: String, below issuer: Identity, _ change: (inout LabCertificate) -> Void = { _ in }
    ) throws -> Identity {
        var recipe = LabCertificate.authority(name)
        change(&recipe)
        return try issue(recipe, by: issuer)
    }

    /// Returns a server identity below two new intermediates.
    ///
    /// The closure can change the upper one.
    func serverWithLongChain(_ change: (inout LabCertificate) -> Void = { _ in }) throws -> Identity {
        let upper = try authority(named: "Countersign Lab Upper Intermediate", below: root, change)
        return try server(of: authority(named: "Countersign Lab Lower Intermediate", below: upper))
    }

    /// Returns a self-signed server identity.
    func selfSigned() throws -> Identity {
        try CertificateAuthority.selfSigned(.server(names: names), now: now)
    }

    /// Returns a server identity whose intermediate has two certificates, with the expired one first in the chain.
    func expiredTwin() throws -> Identity {
        let current = try authority()
        var recipe = LabCertificate.authority("Countersign Lab Special Intermediate")
        (recipe.begin, recipe.end) = (-30 * 86_400, -86_400)
        let expired = try recipe.makeCertificate(
            for: current.privateKey.publicKey, issuer: root.certificate.subject, signedBy: root.privateKey, now: now)
        let server = try server(of: current)
        return try Identity(
            chain: [server.certificate, expired] + server.chain.dropFirst(), privateKey: server.privateKey)
    }

    /// Returns the identity ``good`` with a cross certificate appended: the root's key, certified by another root, and
    /// expired.
    func crossSignedRoot() throws -> Identity {
        var cross = LabCertificate.authority("Countersign Lab Root")
        (cross.begin, cross.end) = (-300 * 86_400, -86_400)
        let certificate = try cross.makeCertificate(
            for: root.privateKey.publicKey, issuer: untrustedRoot.certificate.subject,
            signedBy: untrustedRoot.privateKey,
            now: now)
        return try good.appending(certificate)
    }

    private func issue(_ recipe: LabCertificate, by issuer: Identity) throws -> Identity {
        let key = try recipe.key.make()
        let certificate = try recipe.makeCertificate(
            for: key.publicKey, issuer: issuer.certificate.subject, signedBy: issuer.privateKey, now: now)
        return try Identity(chain: [certificate] + issuer.chain, privateKey: key)
    }
}

extension Identity {
    /// Returns the identity ``good`` with the certificates at the given positions of its chain.
    func arranged(_ places: [Int]) throws -> Identity {
        try Identity(chain: places.filter(chain.indices.contains).map { chain[$0] }, privateKey: privateKey)
    }

    /// Returns the identity with a certificate appended to its chain.
    func appending(_ certificate: Certificate) throws -> Identity {
        try Identity(chain: chain + [certificate], privateKey: privateKey)
    }

    /// Returns the identity with the last bit of the leaf's signature inverted.
    func forged() throws -> Identity {
        var bytes = try certificate.serializeAsPEM().derBytes
        bytes[bytes.count - 1] ^= 1
        return try Identity(chain: [Certificate(derEncoded: bytes)] + chain.dropFirst(), privateKey: privateKey)
    }
}
