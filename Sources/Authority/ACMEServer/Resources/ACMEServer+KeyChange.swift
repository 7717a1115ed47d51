// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ACMEServer {
    private struct Change: Decodable {
        let account: String
        let oldKey: JSONWebKey
    }

    /// Changes the key of an account: a request of the old key that holds one of the new (RFC 8555 section 7.3.5).
    func changeKey(_ request: SignedRequest) async throws -> ServerResponse {
        let account = try request.account
        let new: JSONWebKey
        let change: Change
        do throws(JWSError) {
            let inner = try JSONWebSignature(request.payload)
            guard case .key(let key) = inner.header.signer, inner.header.nonce == nil, inner.header.url == request.url
            else { throw JWSError.malformed(.header) }
            try inner.verify(with: key)
            guard let read = try? JSONDecoder().decode(Change.self, from: Data(inner.payload)) else {
                throw JWSError.malformed(.payload)
            }
            (new, change) = (key, read)
        } catch {
            throw Refusal(error)
        }
        guard change.account == url(.account(account.id)), change.oldKey == account.key else {
            throw Refusal(.malformed, "The inner request names another account or another old key.")
        }
        let now = clock()
        let other = try await transact { records -> String? in
            if let other = try records.account(with: new) { return other.id }
            guard var current = try records.find(AccountRecord.self, account.id), current.key == account.key else {
                throw Refusal(.malformed, "The key was changed meanwhile.")
            }
            (current.key, current.used) = (new, now)
            try records.save(current)
            return nil
        }
        if let other {
            var refusal = Refusal(.malformed, "Another account has this key.", status: .conflict)
            refusal.headers[.location] = url(.account(other))
            throw refusal
        }
        return ServerResponse().adding(.location, url(.account(account.id)))
    }
}
