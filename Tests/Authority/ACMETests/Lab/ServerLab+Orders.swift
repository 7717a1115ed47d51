// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers
import CertificateAuthorities
import Crypto
import Foundation
import HTTPTypes
import SwiftASN1
import Testing
import X509

/// An order with the URLs that a test needs.
struct TestOrder: Sendable {
    let account: TestAccount
    let path: String
    var order: ACMEOrder

    var authorization: String { order.authorizations[0].belowBase }
    var finalize: String { order.finalize.belowBase }
    var names: [String] { order.identifiers.map(\.value) }
}

extension ServerLab {
    static func identifiers(_ names: [String]) -> String {
        let parts = names.map { name in
            let type = name.contains(":") || name.allSatisfy { $0.isNumber || $0 == "." } ? "ip" : "dns"
            return #"{"type":"\#(type)","value":"\#(name)"}"#
        }
        return #""identifiers":[\#(parts.joined(separator: ","))]"#
    }

    /// Places an order for names, with additional members of the payload.
    func newOrder(_ names: [String], _ more: String = "", by account: TestAccount) async throws -> ACMEServerResponse {
        try await post("{\(Self.identifiers(names))\(more)}", to: "/new-order", by: account)
    }

    func order(_ names: [String], _ more: String = "", by account: TestAccount) async throws -> TestOrder {
        let response = try await newOrder(names, more, by: account)
        try #require(response.status == .created, "\(response.text)")
        let path = try #require(response.headers[.location]).belowBase
        return TestOrder(account: account, path: path, order: try response.decode(ACMEOrder.self))
    }

    func authorization(_ path: String, of account: TestAccount) async throws -> ACMEAuthorization {
        try await post("", to: path, by: account).decode(ACMEAuthorization.self)
    }

    /// Responds to the first challenge of each authorization, and waits for its validation.
    func authorize(_ order: TestOrder) async throws {
        for url in order.order.authorizations {
            let authorization = try await authorization(url.belowBase, of: order.account)
            let challenge = try #require(authorization.challenges.first)
            let response = try await post("{}", to: challenge.url.belowBase, by: order.account)
            try #require(response.status == .ok, "\(response.text)")
        }
        await server.finishValidations()
    }

    /// Creates an order that is ready for finalization.
    func readyOrder(_ names: [String], _ more: String = "", by account: TestAccount) async throws -> TestOrder {
        let order = try await order(names, more, by: account)
        try await authorize(order)
        return try await read(order)
    }

    func read(_ order: TestOrder) async throws -> TestOrder {
        var order = order
        order.order = try await post("", to: order.path, by: order.account).decode(ACMEOrder.self)
        return order
    }

    static func csr(_ names: [String], key: Certificate.PrivateKey = .init(P256.Signing.PrivateKey())) throws -> String
    {
        let der = try CertificateRequest.encode(.server(names: names), key: key)
        return #"{"csr":"\#(Base64URL.encode(der))"}"#
    }

    /// Orders, authorizes, finalizes and downloads a certificate.
    func issue(
        _ names: [String], _ more: String = "", by account: TestAccount,
        key: Certificate.PrivateKey = .init(P256.Signing.PrivateKey())
    ) async throws -> [Certificate] {
        let order = try await readyOrder(names, more, by: account)
        let response = try await post(try Self.csr(names, key: key), to: order.finalize, by: account)
        let url = try #require(try response.decode(ACMEOrder.self).certificate, "\(response.text)")
        let chain = try await post("", to: url.belowBase, by: account)
        return try chain.text.components(separatedBy: "-----END CERTIFICATE-----\n").dropLast().map {
            try Certificate(pemEncoded: $0 + "-----END CERTIFICATE-----\n")
        }
    }
}
