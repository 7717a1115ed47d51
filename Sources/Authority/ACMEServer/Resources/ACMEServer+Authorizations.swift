// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// RFC 8555 section 7.5.
extension ACMEServer {
    private struct Update: Decodable {
        let status: String
    }

    func authorization(_ id: String, _ request: SignedRequest) async throws -> ServerResponse {
        let account = try request.account
        guard !request.payload.isEmpty else { return try response(try await find(id, of: account)) }
        guard try request.decode(Update.self).status == "deactivated" else {
            throw Refusal(.malformed, "The status of an authorization can only be set to deactivated.")
        }
        let now = clock()
        return try response(
            try await transact { records in
                guard var record = try records.find(AuthorizationRecord.self, id), record.account == account.id else {
                    throw Refusal.notFound("authorization")
                }
                let status = record.status(at: now)
                guard status == .pending || status == .valid else {
                    throw Refusal(.malformed, "The authorization is \(status.rawValue).")
                }
                record.status = .deactivated
                try records.save(record)
                if var order = try records.find(OrderRecord.self, record.order),
                    order.status == .pending || order.status == .ready
                {
                    order.status = .invalid
                    order.error = Problem(.unauthorized, "An authorization was deactivated.", status: 403)
                    try records.save(order)
                }
                return record
            })
    }

    private func find(_ id: String, of account: AccountRecord) async throws -> AuthorizationRecord {
        let record = try await store.transact { try $0.find(AuthorizationRecord.self, id) }
        guard let record, record.account == account.id else { throw Refusal.notFound("authorization") }
        return record
    }

    private func response(_ record: AuthorizationRecord) throws -> ServerResponse {
        let status = record.status(at: clock())
        let resource = Authorization(
            identifier: record.identifier, status: status, expires: Timestamp(record.expires),
            // Once it is decided, the challenge that decided is the only one that matters.
            challenges: record.challenges.filter { status == .pending || $0.validated != nil || $0.error != nil }
                .map { self.resource($0, of: record) },
            wildcard: record.isWildcard ? true : nil)
        let response = try ServerResponse(json: resource)
        return status == .pending ? response.adding(.retryAfter, "\(configuration.pollInterval)") : response
    }

    private func resource(
        _ challenge: AuthorizationRecord.ChallengeRecord, of record: AuthorizationRecord
    ) -> Challenge {
        Challenge(
            type: challenge.type, url: url(.challenge(authorization: record.id, kind: challenge.type.rawValue)),
            status: challenge.status, validated: challenge.validated.map { Timestamp($0) }, error: challenge.error,
            token: challenge.token)
    }

    /// Takes the client's word that a challenge is answered, and begins to look (RFC 8555 section 7.5.1).
    func challenge(_ kind: String, of id: String, _ request: SignedRequest) async throws -> ServerResponse {
        let account = try request.account
        var record = try await find(id, of: account)
        guard let index = record.challenges.firstIndex(where: { $0.type.rawValue == kind }) else {
            throw Refusal.notFound("challenge")
        }
        if !request.payload.isEmpty {
            // RFC 8555 section 8: an object, whose members no challenge here has a use for.
            _ = try request.decode(Nothing.self)
            let status = record.challenges[index].status
            if record.status(at: clock()) == .pending, status == .pending || status == .processing {
                let started = try await startValidation(of: record.challenges[index], in: record, key: account.key)
                if let started { record = started }
            }
        }
        let response = try ServerResponse(json: resource(record.challenges[index], of: record))
            .linking(to: url(.authorization(id)), "up")
        let isOpen = record.challenges[index].status == .processing
        return isOpen ? response.adding(.retryAfter, "\(configuration.pollInterval)") : response
    }

    private struct Nothing: Decodable {
        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Key.self) }

        private enum Key: CodingKey {}
    }
}
