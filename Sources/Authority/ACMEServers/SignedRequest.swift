// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import Crypto
internal import EssentialFoundation
internal import HTTPTypes
internal import Secrets

/// A request whose signature, URL and nonce were checked.
struct SignedRequest {
    enum Signer {
        case account(AccountRecord)
        case key(JSONWebKey)
    }

    let signer: Signer
    let payload: [UInt8]
    let url: String

    /// The account that signed the request.
    var account: AccountRecord {
        get throws(Refusal) {
            guard case .account(let account) = signer else {
                throw Refusal(.malformed, "The request needs the account's URL as kid, not its key as jwk.")
            }
            return account
        }
    }

    /// Decodes the payload.
    func decode<Value: Decodable>(_ type: Value.Type) throws(Refusal) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(payload))
        } catch {
            throw Refusal(.malformed, "The payload is not valid for this resource.")
        }
    }

    /// Checks that the payload is empty (RFC 8555 section 6.3).
    func requireNoPayload() throws(Refusal) {
        guard payload.isEmpty else {
            throw Refusal(.malformed, "This resource must be requested with an empty payload.")
        }
    }
}

extension ACMEServer {
    /// Checks a signed request in the order of RFC 8555 section 6: its format, URL, signature and nonce.
    func open(_ request: ACMEServerRequest) async throws -> SignedRequest {
        // The media type (RFC 8555 section 6.2).
        let type = request.contentType?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type == "application/jose+json" else {
            throw Refusal(
                .malformed, "The Content-Type of a request must be application/jose+json.",
                status: .unsupportedMediaType)
        }
        let signature: JSONWebSignature
        do throws(JWSError) {
            guard let body = request.body else { throw JWSError.tooLarge }
            signature = try JSONWebSignature(body)
        } catch {
            throw Refusal(error)
        }
        let url = configuration.baseURL + request.path
        // The URL in the header (RFC 8555 section 6.4).
        guard signature.header.url == url else {
            throw Refusal(.unauthorized, "The signed URL is not \(url), to which the request was sent.")
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

    /// Uses up a nonce; called only for a request whose signature is verified.
    private func use(nonce: String?) async throws {
        guard let nonce else { throw Refusal(.badNonce, "The request has no nonce.") }
        guard let end = nonces.end(of: nonce, now: clock()),
            try await store.transact({ try $0.use(nonce: nonce, until: end) })
        else { throw Refusal(.badNonce, "The nonce was used before, is too old, or is not this server's.") }
    }
}

/// The generator of the server's nonces, which need no storage until they are used (RFC 8555 section 6.5).
///
/// A nonce consists of a time, random bytes, and their HMAC.
struct Nonces: Sendable {
    /// The lifetime of a nonce.
    static let lifetime: TimeInterval = 3_600
    private static let bodyLength = 24
    private static let tagLength = 16
    private let key: SymmetricKey

    init(key: Secret) { self.key = key.withUnsafeBytes { SymmetricKey(data: $0) } }

    func make(now: Date) -> String {
        let seconds = UInt64(max(0, now.timeIntervalSince1970))
        var bytes = (0..<8).map { UInt8(truncatingIfNeeded: seconds >> (56 - 8 * UInt64($0))) }
        bytes += (8..<Self.bodyLength).map { _ in UInt8.random(in: .min ... .max) }
        return Base64URL.encode(bytes + tag(of: bytes))
    }

    /// Returns the expiry time of a valid nonce of this server; `nil` for any other nonce.
    func end(of nonce: String, now: Date) -> Date? {
        guard let bytes = Base64URL.decode(nonce), bytes.count == Self.bodyLength + Self.tagLength else { return nil }
        let body = Array(bytes.prefix(Self.bodyLength))
        // The key is the server's own, so the duration of the comparison would reveal nothing useful. It is constant
        // nevertheless.
        let differences = zip(tag(of: body), bytes.suffix(Self.tagLength)).reduce(0) { $0 | ($1.0 ^ $1.1) }
        guard differences == 0 else { return nil }
        let seconds = body.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let end = Date(timeIntervalSince1970: TimeInterval(seconds)) + Self.lifetime
        return end > now ? end : nil
    }

    private func tag(of bytes: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key).prefix(Self.tagLength))
    }
}
