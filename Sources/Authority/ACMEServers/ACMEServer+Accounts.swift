// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import EssentialFoundation
internal import HTTPTypes

/// The account resources (RFC 8555 section 7.3).
extension ACMEServer {
    private struct NewAccount: Decodable {
        var contact: [String]?
        var termsOfServiceAgreed: Bool?
        var onlyReturnExisting: Bool?
        var externalAccountBinding: JSON?
    }

    private struct Update: Decodable {
        var contact: [String]?
        var status: String?
    }

    func newAccount(_ request: SignedRequest) async throws -> ACMEServerResponse {
        guard case .key(let key) = request.signer else {
            throw Refusal(.malformed, "A new account needs its key as jwk, not a kid.")
        }
        let wanted = try request.decode(NewAccount.self)
        if let account = try await store.transact({ try $0.account(with: key) }) { return try existing(account) }
        guard wanted.onlyReturnExisting != true else { throw Self.noAccount }
        if let terms = configuration.termsOfService, wanted.termsOfServiceAgreed != true {
            var refusal = Refusal(.userActionRequired, "The account must agree to the terms of service.")
            refusal.problem.instance = terms
            refusal.headers[.link] = "<\(terms)>;rel=\"terms-of-service\""
            throw refusal
        }
        let contact = try Self.checked(wanted.contact ?? [])
        let external = try await externalAccount(in: wanted.externalAccountBinding, for: key, url: request.url)
        let account = AccountRecord(
            id: Self.newIdentifier(), key: key, status: .valid, contact: contact, externalAccount: external,
            created: clock())
        let limit = configuration.maximumHourlyAccountCount
        // A concurrent request may have created the account.
        let other = try await transact { records -> AccountRecord? in
            if let other = try records.account(with: key) { return other }
            try records.require(.newAccounts, below: limit, at: account.created)
            try records.count(.newAccounts, at: account.created)
            try records.save(account)
            return nil
        }
        if let other { return try existing(other) }
        return try response(account, status: .created)
    }

    private func existing(_ account: AccountRecord) throws -> ACMEServerResponse {
        guard account.status == .valid else {
            throw Refusal(.unauthorized, "The account with this key is \(account.status.rawValue).")
        }
        return try response(account)
    }

    func account(_ id: String, _ request: SignedRequest) async throws -> ACMEServerResponse {
        let signer = try request.account
        guard signer.id == id else { throw Refusal(.unauthorized, "This resource belongs to another account.") }
        guard !request.payload.isEmpty else { return try response(signer) }
        let update = try request.decode(Update.self)
        guard update.status == nil || update.status == "deactivated" else {
            throw Refusal(.malformed, "The status of an account can only be set to deactivated.")
        }
        let (contact, now) = (try update.contact.map(Self.checked), clock())
        return try response(
            try await transact { records in
                guard var account = try records.find(AccountRecord.self, id) else { throw Self.noAccount }
                if let contact { account.contact = contact }
                if update.status != nil { account.status = .deactivated }
                account.used = now
                try records.save(account)
                return account
            })
    }

    /// The URLs of an account's orders, without those that failed (RFC 8555 section 7.1.2.1).
    func orders(of id: String, _ request: SignedRequest) async throws -> ACMEServerResponse {
        try request.requireNoPayload()
        guard try request.account.id == id else {
            throw Refusal(.unauthorized, "This resource belongs to another account.")
        }
        let orders = try await store.transact { try $0.list(OrderRecord.self, group: id) }
        let now = clock()
        let urls = orders.filter { $0.status(at: now) != .invalid }.map { url(.order($0.id)) }
        return try ACMEServerResponse(json: ["orders": urls])
    }

    private func response(_ account: AccountRecord, status: HTTPResponse.Status = .ok) throws -> ACMEServerResponse {
        let resource = ACMEAccountObject(
            status: account.status, contact: account.contact.isEmpty ? nil : account.contact,
            termsOfServiceAgreed: configuration.termsOfService == nil ? nil : true,
            orders: url(.accountOrders(account.id)))
        return try ACMEServerResponse(json: resource, status: status).adding(.location, url(.account(account.id)))
    }

    /// Checks that each contact is a mailto URL with a single address (RFC 8555 section 7.3).
    private static func checked(_ contacts: [String]) throws(Refusal) -> [String] {
        guard contacts.count <= 10 else { throw Refusal(.invalidContact, "An account has ten contacts at most.") }
        for contact in contacts {
            guard contact.lowercased().hasPrefix("mailto:") else {
                throw Refusal(.unsupportedContact, "A contact must be a mailto URL.")
            }
            let address = contact.dropFirst("mailto:".count)
            let parts = address.split(separator: "@", omittingEmptySubsequences: false)
            guard address.utf8.count <= 254, parts.count == 2, parts.allSatisfy({ !$0.isEmpty }),
                address.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"?,".utf8.contains($0) })
            else { throw Refusal(.invalidContact, "A contact must have exactly one mail address.") }
        }
        return contacts
    }
}

extension ACMEServer {
    /// Checks the binding to an external account (RFC 8555 section 7.3.4).
    private func externalAccount(in binding: JSON?, for key: JSONWebKey, url: String) async throws -> String? {
        guard let find = configuration.externalAccountKey else { return nil }
        guard let binding else {
            throw Refusal(.externalAccountRequired, "The account needs a binding to an external account.")
        }
        guard let signature = try? JSONWebSignature(binding.bytes), signature.header.nonce == nil,
            signature.header.url == url, case .identifier(let name) = signature.header.signer,
            let bound = try? JSONDecoder().decode(JSONWebKey.self, from: Data(signature.payload)), bound == key
        else { throw Refusal(.malformed, "The external account binding is not for this key and URL.") }
        // The response does not reveal whether the identifier or the key is wrong.
        guard let secret = try await find(name), (try? signature.verify(with: secret)) != nil else {
            throw Refusal(.unauthorized, "The binding to an external account is not signed with its key.")
        }
        return name
    }
}

/// A JSON object whose values are strings, for decoding a signature inside another one.
struct JSON: Decodable {
    private let members: [String: String]

    init(from decoder: any Decoder) throws {
        members = try decoder.singleValueContainer().decode([String: String].self)
    }

    var bytes: [UInt8] { (try? JSONEncoder().encode(members)).map { Array($0) } ?? [] }
}

extension ACMERecords {
    func account(with key: JSONWebKey) throws -> AccountRecord? {
        try list(AccountRecord.self, group: key.thumbprint).first
    }
}

extension ACMEServer {
    private struct Change: Decodable {
        let account: String
        let oldKey: JSONWebKey
    }

    /// Changes the key of an account.
    ///
    /// The request is signed with the old key and contains one signed with the new key (RFC 8555 section 7.3.5).
    func changeKey(_ request: SignedRequest) async throws -> ACMEServerResponse {
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
        return ACMEServerResponse().adding(.location, url(.account(account.id)))
    }
}
