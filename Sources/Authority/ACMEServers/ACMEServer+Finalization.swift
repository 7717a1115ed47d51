// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import CertificateAuthorities
internal import ErrorExplanations
internal import EssentialFoundation
internal import HTTPTypes
internal import SwiftASN1
internal import X509

/// The finalize and certificate resources (RFC 8555 section 7.4).
extension ACMEServer {
    private struct Finalization: Decodable {
        let csr: String
    }

    func finalize(_ id: String, _ request: SignedRequest) async throws -> ACMEServerResponse {
        let account = try request.account
        let text = try request.decode(Finalization.self).csr
        let order = try await store.transact { try $0.find(OrderRecord.self, id) }
        guard let order, order.account == account.id else { throw Refusal.notFound("order") }
        try Self.requireReady(order, at: clock())
        let wanted = try Self.checked(csr: text, for: order)
        let now = clock()
        let started = try await transact { records in
            try Self.requireOtherKey(wanted.publicKey, records)
            return try Self.begin(id, of: account.id, now: now, records)
        }
        // If the client disconnects now, the certificate is still issued and recorded.
        let work = Task { try await issue(wanted, for: started) }
        return try response(try await work.value)
    }

    private static func requireReady(_ order: OrderRecord, at now: Date) throws(Refusal) {
        let status = order.status(at: now)
        guard status == .ready else {
            throw Refusal(.orderNotReady, "The order is \(status.rawValue), and must be ready to be finalized.")
        }
    }

    /// Refuses a certificate request with the key of an account, which is only for signing requests (RFC 8555
    /// section 11.1).
    private static func requireOtherKey(_ key: Certificate.PublicKey, _ records: any ACMERecords) throws {
        guard let key = try? JSONWebKey(key), try records.account(with: key) != nil else { return }
        throw Refusal(.badCSR, "The request has the key of an account, which may only sign requests.")
    }

    /// Changes a ready order to processing after checking every authorization again.
    ///
    /// An authorization may have been deactivated or have expired since the order became ready.
    private static func begin(
        _ id: String, of account: String, now: Date, _ records: any ACMERecords
    ) throws -> OrderRecord {
        guard var order = try records.find(OrderRecord.self, id), order.account == account else {
            throw Refusal.notFound("order")
        }
        try requireReady(order, at: now)
        var missing = Set(order.identifiers)
        for id in order.authorizations {
            guard let record = try records.find(AuthorizationRecord.self, id), record.account == account,
                record.status(at: now) == .valid
            else { continue }
            let name = record.isWildcard ? "*." + record.identifier.value : record.identifier.value
            missing.remove(ACMEIdentifier(type: record.identifier.type, value: name))
        }
        guard missing.isEmpty else {
            throw Refusal(
                .unauthorized, "The account is not authorized any more.",
                parts: missing.map { .init(.unauthorized, "Not authorized.", identifier: $0) })
        }
        (order.status, order.processingSince) = (.processing, now)
        try records.save(order)
        return order
    }

    private static func checked(csr text: String, for order: OrderRecord) throws -> CertificateRequest {
        guard let der = Base64URL.decode(text) else { throw Refusal(.badCSR, "The request is not in base64url.") }
        let request: CertificateRequest
        do throws(CertificateRequestError) {
            request = try CertificateRequest(der)
            try request.requireServerNames()
        } catch {
            throw Refusal(.badCSR, error.explanation.message)
        }
        if let mailbox = request.mailboxes.first {
            throw Refusal(.badCSR, "The request asks for \(mailbox), and orders are for DNS names and IP addresses.")
        }
        let ordered = Set(order.identifiers)
        if let name = request.names.first(where: { ACMEIdentifier($0).map { !ordered.contains($0) } ?? true }) {
            throw Refusal(.badCSR, "The request asks for \(name), which is not in the order.")
        }
        let names = Set(request.names.compactMap { ACMEIdentifier($0) })
        if let missing = order.identifiers.first(where: { !names.contains($0) }) {
            throw Refusal(.badCSR, "The request does not ask for \(missing.value), which is in the order.")
        }
        return request
    }

    private func issue(_ request: CertificateRequest, for order: OrderRecord) async throws -> OrderRecord {
        var (record, problem) = (CertificateRecord?.none, ACMEProblem?.none)
        do {
            let chain = try await issuer.issue(request, for: order.identifiers, profile: order.profile)
            guard let leaf = chain.first else { throw Refusal(.serverInternal, "The authority issued no certificate.") }
            record = CertificateRecord(
                id: hex(leaf.serialNumber), account: order.account,
                chain: try chain.map { try $0.serializeAsPEM().pemString + "\n" }.joined(),
                expires: leaf.notValidAfter, replacedBy: nil)
        } catch {
            problem = ACMEProblem(.serverInternal, "The authority could not issue the certificate.", status: 500)
        }
        return try await transact { [record, problem] records in
            guard var current = try records.find(OrderRecord.self, order.id) else { throw Refusal.notFound("order") }
            if let record { try records.save(record) }
            (current.status, current.error, current.certificate) =
                (record == nil ? .invalid : .valid, problem, record?.id)
            try records.save(current)
            return current
        }
    }

    /// Responds with a certificate chain (RFC 8555 section 7.4.2).
    func certificate(_ id: String, _ request: SignedRequest) async throws -> ACMEServerResponse {
        try request.requireNoPayload()
        let account = try request.account
        let record = try await store.transact { try $0.find(CertificateRecord.self, id) }
        guard let record, record.account == account.id else { throw Refusal.notFound("certificate") }
        return ACMEServerResponse(
            headers: [.contentType: "application/pem-certificate-chain"], body: Array(record.chain.utf8))
    }
}
