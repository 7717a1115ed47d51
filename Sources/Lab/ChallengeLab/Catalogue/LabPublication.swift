// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthority
import CertificateTrust
import EssentialFoundation
import HTTPTypes
import Identities
import NIOConcurrencyHelpers
import SwiftASN1
import X509

/// What the lab's authorities publish over plain http: revocation lists, OCSP responses and certificates.
///
/// Responses are made beforehand, as for many responders of the Web PKI (RFC 5019), so that a request's content is not looked at.
final class LabPublication: Sendable {
    private struct State {
        var place = "localhost:0"
        var files: [String: (type: String, bytes: [UInt8])] = [:]
        var lists: [[UInt8]] = []
        var revokedAuthorities: [RevokedCertificate] = []
    }

    private let state = NIOLockedValueBox(State())

    func open(at port: Int, of host: String) {
        let host = host.contains(":") ? "[\(host)]" : host
        state.withLockedValue { $0.place = "\(host):\(port)" }
    }

    /// The URL of a file; its name ends in what it is.
    func url(_ name: String) -> URL? {
        URL(string: "http://\(state.withLockedValue(\.place))/\(name)")
    }

    /// Those that the root's list is to have.
    var revokedAuthorities: [RevokedCertificate] { state.withLockedValue(\.revokedAuthorities) }

    func revoke(_ authority: RevokedCertificate) {
        state.withLockedValue { $0.revokedAuthorities.append(authority) }
    }

    func publish(list: [UInt8], as name: String) {
        state.withLockedValue {
            $0.files[name] = ("application/pkix-crl", list)
            $0.lists.append(list)
        }
    }

    func publish(response: [UInt8], as name: String) {
        state.withLockedValue { $0.files[name] = ("application/ocsp-response", response) }
    }

    func publish(certificate: Certificate, as name: String) throws {
        let bytes = try certificate.serializeAsPEM().derBytes
        state.withLockedValue { $0.files[name] = ("application/pkix-cert", bytes) }
    }

    /// Every list, for clients that take them from a file; `nil` where there is none.
    var listsAsPEM: String? {
        let lists = state.withLockedValue(\.lists)
        guard !lists.isEmpty else { return nil }
        return lists.map { PEMDocument(type: "X509 CRL", derBytes: $0).pemString + "\n" }.joined()
    }

    func reply(to request: LabRequest) -> LabReply {
        let name = request.target.split(separator: "/").first.map(String.init) ?? ""
        guard let file = state.withLockedValue({ $0.files[name] }) else {
            return .text("There is no \(name) here.\n", status: .notFound)
        }
        return .message(HTTPResponse(status: .ok, headerFields: [.contentType: file.type]), file.bytes)
    }
}

extension LabCertificates {
    /// What is published about a server's certificate.
    enum Evidence {
        /// A revocation list that has the certificate, or not.
        case list(isRevoked: Bool)
        /// A list that a newer one should have taken the place of.
        case outdatedList
        /// A list that another authority of the same name has signed.
        case forgedList
        /// The response of a responder that the authority has delegated to.
        case response(isRevoked: Bool)
        /// A list that has the certificate of the authority.
        case listOfAuthority
        /// Nothing, at a place that the certificate names.
        case nothing
    }

    private static let rootList = "root.crl"

    /// A server's certificate below an intermediate, both of which say where to ask whether they are revoked.
    ///
    /// - Parameters:
    ///   - evidence: What is published.
    ///   - name: The row's, which tells its authority and its files from those of others.
    /// - Returns: The server's chain, and its key.
    /// - Throws: What swift-certificates throws.
    func revocable(_ evidence: Evidence, _ name: String) async throws -> Identity {
        let root = try CertificateAuthority(root, publication: .init(revocationList: publication.url(Self.rootList)))
        var authority = try root.issueIntermediate(name: "Countersign Lab \(name)", now: begin)
        let file: String
        switch evidence {
        case .response:
            file = name + ".ocsp"
            authority.publication.responder = publication.url(file)
        default:
            file = name + ".crl"
            authority.publication.revocationList = publication.url(file)
        }
        let server = try authority.issue(.server(names: names), now: begin)
        switch evidence {
        case .list(let isRevoked):
            try publish(list: file, of: authority, isRevoked ? [server.certificate] : [])
        case .outdatedList:
            let list = try authority.revocationList(
                of: [RevokedCertificate](), number: 1, validity: .between(begin - 86_400, and: begin - 3_600),
                now: begin - 86_400)
            publication.publish(list: list, as: file)
        case .forgedList:
            let forger = try CertificateAuthority(name: "Countersign Lab \(name)", now: begin)
            try publish(list: file, of: forger, [])
        case .response(let isRevoked):
            let revoked = RevokedCertificate(
                serialNumber: server.certificate.serialNumber, date: begin, reason: .keyCompromise)
            let request = try OCSPRequest(for: server.certificate, issuer: authority.certificate)
            let response = try await authority.issueResponder(now: begin).respond(
                to: request.derEncoded, now: begin
            ) { _ in isRevoked ? .revoked(revoked) : .good }
            publication.publish(response: response, as: file)
        case .listOfAuthority:
            try publish(list: file, of: authority, [])
            publication.revoke(
                RevokedCertificate(
                    serialNumber: authority.certificate.serialNumber, date: begin, reason: .authorityCompromise))
        case .nothing: break
        }
        return server
    }

    /// Publishes the root's revocation list, once every certificate is made.
    func publishRootList() throws {
        let list = try CertificateAuthority(root).revocationList(
            of: publication.revokedAuthorities, number: 1, now: begin)
        publication.publish(list: list, as: Self.rootList)
    }

    private func publish(list name: String, of authority: CertificateAuthority, _ revoked: [Certificate]) throws {
        let entries = revoked.map {
            RevokedCertificate(serialNumber: $0.serialNumber, date: begin, reason: .keyCompromise)
        }
        publication.publish(list: try authority.revocationList(of: entries, number: 1, now: begin), as: name)
    }

    /// A server that does not send its intermediate, and whose certificate says where to fetch it.
    func fetchable(_ name: String) throws -> Identity {
        var authority = try CertificateAuthority(root).issueIntermediate(name: "Countersign Lab \(name)", now: begin)
        authority.publication.authorityCertificate = publication.url(name + ".cer")
        try publication.publish(certificate: authority.certificate, as: name + ".cer")
        return try authority.issue(.server(names: names), now: begin).arranged([0])
    }

    /// A minute before the lab's start, so that nothing is too new for a clock that is a little behind.
    private var begin: Date { now - 60 }
}
