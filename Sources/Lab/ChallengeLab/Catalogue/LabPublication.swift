// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import EssentialFoundation
import HTTPTypes
import Identities
import NIOConcurrencyHelpers
import SwiftASN1
import X509

/// The files that the lab's authorities publish over plain http: revocation lists, OCSP responses and certificates.
///
/// OCSP responses are signed in advance, as by many responders of the Web PKI (RFC 5019), so the content of a request
/// is ignored.
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

    /// Returns the URL of a file, whose extension determines its type.
    func url(_ name: String) -> URL? {
        URL(string: "http://\(state.withLockedValue(\.place))/\(name)")
    }

    /// The revoked certificates for the root's revocation list.
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

    /// All revocation lists in PEM, for clients that read them from a file; `nil` if there are none.
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
    /// The revocation information about a server's certificate.
    enum Evidence {
        /// A current revocation list, which contains the certificate if it is revoked.
        case list(isRevoked: Bool)
        /// An expired revocation list.
        case outdatedList
        /// A revocation list that was signed by another authority with the same name.
        case forgedList
        /// An OCSP response of a delegated responder.
        case response(isRevoked: Bool)
        /// A revocation list that contains the issuing authority's certificate.
        case listOfAuthority
        /// No file at the URL in the certificate.
        case nothing
    }

    private static let rootList = "root.crl"

    /// Returns a server identity below a new intermediate, both with URLs for revocation checking.
    ///
    /// - Parameters:
    ///   - evidence: The revocation information to publish.
    ///   - name: The name of the server, which makes the names of its authority and files unique.
    /// - Returns: The chain and key of the server.
    /// - Throws: The errors of swift-certificates.
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

    /// Publishes the root's revocation list.
    ///
    /// All certificates must exist by then.
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

    /// Returns a server identity without its intermediate, whose certificate contains the URL of the intermediate.
    func fetchable(_ name: String) throws -> Identity {
        var authority = try CertificateAuthority(root).issueIntermediate(name: "Countersign Lab \(name)", now: begin)
        authority.publication.authorityCertificate = publication.url(name + ".cer")
        try publication.publish(certificate: authority.certificate, as: name + ".cer")
        return try authority.issue(.server(names: names), now: begin).arranged([0])
    }

    /// A minute before the start of the lab, so that clients with slow clocks accept the files.
    var begin: Date { now - 60 }
}
