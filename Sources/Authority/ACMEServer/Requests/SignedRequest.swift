// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A request whose signature, URL and nonce were checked.
struct SignedRequest {
    enum Signer {
        case account(AccountRecord)
        case key(JSONWebKey)
    }

    let signer: Signer
    let payload: [UInt8]
    let url: String

    /// The account that signed.
    var account: AccountRecord {
        get throws(Refusal) {
            guard case .account(let account) = signer else {
                throw Refusal(.malformed, "The request needs the account's URL as kid, not its key as jwk.")
            }
            return account
        }
    }

    /// Reads the payload.
    func decode<Value: Decodable>(_ type: Value.Type) throws(Refusal) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(payload))
        } catch {
            throw Refusal(.malformed, "The payload is not what this resource takes.")
        }
    }

    /// Sees to it that the payload is empty (RFC 8555 section 6.3).
    func requireNoPayload() throws(Refusal) {
        guard payload.isEmpty else { throw Refusal(.malformed, "This resource is asked for with an empty payload.") }
    }
}
