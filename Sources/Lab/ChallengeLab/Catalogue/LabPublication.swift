// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthority
import HTTPTypes
import NIOConcurrencyHelpers
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
