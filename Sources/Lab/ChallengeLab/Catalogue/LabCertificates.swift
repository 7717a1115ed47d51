// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthority
import CertificateTrust
import EssentialFoundation
import Identities
import SwiftASN1
import X509

/// The authorities of a lab, and what is made with them.
struct LabCertificates: Sendable {
    private static let loopbackNames = ["localhost", "127.0.0.1", "::1"]

    let now: Date
    /// The names and addresses of good servers.
    let names: [String]
    let reach: LabReach
    let publication: LabPublication
    /// The anchor.
    let root: Identity
    /// Issued by the root; its chain ends in the root.
    let intermediate: Identity
    /// An authority that is in no client's anchors.
    let stranger: Identity
    let client: Identity
    /// What a server presents with which nothing is wrong.
    let good: Identity

    /// The anchor as a file.
    var rootPEM: PEMDocument {
        get throws { try root.certificate.serializeAsPEM() }
    }

    init(now: Date, publication: LabPublication = LabPublication(), reach: LabReach = .loopback) throws {
        // swift-certificates rounds to the nearest second: what ended a day ago would end up to half a second later.
        let now = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        let root = try CertificateAuthority(name: "Countersign Lab Root", pathLength: nil, now: now)
        let intermediate = try root.issueIntermediate(name: "Countersign Lab Intermediate", now: now)
        (self.now, self.reach, self.publication) = (now, reach, publication)
        names = Self.loopbackNames + reach.names
        self.root = root.identity
        self.intermediate = intermediate.identity
        stranger = try CertificateAuthority(name: "Nobody's Root", now: now).identity
        client = try intermediate.issue(.client(name: "Countersign Lab Client"), now: now)
        good = try intermediate.issue(.server(names: names), now: now)
    }

    /// The names of good servers without the addresses.
    var dnsNames: [String] { names.filter { (try? HostName($0))?.isAddress == false } }

    /// A server's certificate, by default of the intermediate; its chain leaves the root out.
    func server(
        of authority: Identity? = nil, _ change: (inout LabCertificate) -> Void = { _ in }
    ) throws -> Identity {
        var recipe = LabCertificate()
        recipe.names = names.map(GeneralName.init(host:))
        change(&recipe)
        let issued = try issue(recipe, by: authority ?? intermediate)
        return try Identity(chain: issued.chain.dropLast(), privateKey: issued.privateKey)
    }

    /// An authority below the root.
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

    /// A server's certificate below two intermediates, of which the upper can be changed.
    func longServer(_ change: (inout LabCertificate) -> Void = { _ in }) throws -> Identity {
        let upper = try authority(named: "Countersign Lab Upper Intermediate", below: root, change)
        return try server(of: authority(named: "Countersign Lab Lower Intermediate", below: upper))
    }

    /// A server's certificate that vouches for itself.
    func selfSigned() throws -> Identity {
        try CertificateAuthority.selfSigned(.server(names: names), now: now)
    }

    /// An intermediate with two certificates, of which the server sends the expired one first.
    func expiredTwin() throws -> Identity {
        let current = try authority()
        var recipe = LabCertificate.authority("Countersign Lab Special Intermediate")
        (recipe.begin, recipe.end) = (-30 * 86_400, -86_400)
        let expired = try recipe.made(
            for: current.privateKey.publicKey, issuer: root.certificate.subject, signedBy: root.privateKey, now: now)
        let server = try server(of: current)
        return try Identity(
            chain: [server.certificate, expired] + server.chain.dropFirst(), privateKey: server.privateKey)
    }

    /// A good chain, and after it the root's key in a certificate of another root, both of which have expired.
    func crossSignedRoot() throws -> Identity {
        var cross = LabCertificate.authority("Countersign Lab Root")
        (cross.begin, cross.end) = (-300 * 86_400, -86_400)
        let certificate = try cross.made(
            for: root.privateKey.publicKey, issuer: stranger.certificate.subject, signedBy: stranger.privateKey,
            now: now)
        return try good.appending(certificate)
    }

    private func issue(_ recipe: LabCertificate, by issuer: Identity) throws -> Identity {
        let key = try recipe.key.make()
        let certificate = try recipe.made(
            for: key.publicKey, issuer: issuer.certificate.subject, signedBy: issuer.privateKey, now: now)
        return try Identity(chain: [certificate] + issuer.chain, privateKey: key)
    }
}

extension Identity {
    /// The same key with certificates of the chain, by their places.
    func arranged(_ places: [Int]) throws -> Identity {
        try Identity(chain: places.filter(chain.indices.contains).map { chain[$0] }, privateKey: privateKey)
    }

    /// The same key and chain, and one more certificate.
    func appending(_ certificate: Certificate) throws -> Identity {
        try Identity(chain: chain + [certificate], privateKey: privateKey)
    }

    /// The same key and chain, the last bit of the leaf's signature turned.
    func forged() throws -> Identity {
        var bytes = try certificate.serializeAsPEM().derBytes
        bytes[bytes.count - 1] ^= 1
        return try Identity(chain: [Certificate(derEncoded: bytes)] + chain.dropFirst(), privateKey: privateKey)
    }
}
