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
    /// Checks a signed request in the order of RFC 8555 section 6: its form, its URL, its signature, its nonce.
    func open(_ request: ServerRequest) async throws -> SignedRequest {
        // RFC 8555 section 6.2.
        let type = request.contentType?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type == "application/jose+json" else {
            throw Refusal(
                .malformed, "The Content-Type of a request is application/jose+json.", status: .unsupportedMediaType)
        }
        let signature: JSONWebSignature
        do throws(JWSError) {
            guard let body = request.body else { throw JWSError.tooLarge }
            signature = try JSONWebSignature(body)
        } catch {
            throw Refusal(error)
        }
        let url = configuration.baseURL + request.path
        // RFC 8555 section 6.4.
        guard signature.header.url == url else {
            throw Refusal(.unauthorized, "The URL that was signed is not \(url), where the request was sent.")
        }
        let signer = try await signer(of: signature)
        do throws(JWSError) {
            switch signer {
            case .account(let account): try signature.verify(with: account.key)
            case .key(let key): try signature.verify(with: key)
            }
        } catch {
            throw Refusal(error)
        }
        try await use(nonce: signature.header.nonce)
        if case .account(let account) = signer, account.status != .valid {
            throw Refusal(.unauthorized, "The account is \(account.status.rawValue).")
        }
        return SignedRequest(signer: signer, payload: signature.payload, url: url)
    }

    private func signer(of signature: JSONWebSignature) async throws -> SignedRequest.Signer {
        switch signature.header.signer {
        case .key(let key):
            return .key(key)
        case .identifier(let name):
            let prefix = url(.account(""))
            guard name.hasPrefix(prefix) else { throw Self.noAccount }
            let id = String(name.dropFirst(prefix.count))
            guard let account = try await store.transact({ try $0.find(AccountRecord.self, id) }) else {
                throw Self.noAccount
            }
            return .account(account)
        }
    }

    static let noAccount = Refusal(.accountDoesNotExist, "There is no account with this URL or key.")

    /// Only a request whose signature was verified uses a nonce up.
    private func use(nonce: String?) async throws {
        guard let nonce else { throw Refusal(.badNonce, "The request has no nonce.") }
        guard let end = nonces.end(of: nonce, now: clock()),
            try await store.transact({ try $0.use(nonce: nonce, until: end) })
        else { throw Refusal(.badNonce, "The nonce was used before, is too old, or is not this server's.") }
    }
}
