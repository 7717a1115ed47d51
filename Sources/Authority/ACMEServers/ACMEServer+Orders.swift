// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import EssentialFoundation
internal import HTTPTypes

/// The order resources (RFC 8555 section 7.4).
extension ACMEServer {
    private struct NewOrder: Decodable {
        let identifiers: [ACMEIdentifier]
        var notBefore: String?
        var notAfter: String?
        var profile: String?
        var replaces: String?
    }

    func newOrder(_ request: SignedRequest) async throws -> ACMEServerResponse {
        let account = try request.account
        let wanted = try request.decode(NewOrder.self)
        guard wanted.notBefore == nil, wanted.notAfter == nil else {
            throw Refusal(.malformed, "The authority decides on the period; leave notBefore and notAfter out.")
        }
        if let profile = wanted.profile, configuration.profiles[profile] == nil {
            throw Refusal(.invalidProfile, "There is no such profile; the directory lists the profiles.")
        }
        let identifiers = try await checked(wanted.identifiers)
        let now = clock()
        let expires = now + configuration.orderLifetime
        let id = Self.newIdentifier()
        let authorizations = identifiers.map { identifier in
            AuthorizationRecord(
                id: Self.newIdentifier(), account: account.id, order: id, identifier: identifier.authorized,
                isWildcard: identifier.isWildcard, expires: expires,
                challenges: kinds(for: identifier).map { .init(type: $0, token: Self.newIdentifier(bytes: 32)) })
        }
        let order = OrderRecord(
            id: id, account: account.id, identifiers: identifiers, authorizations: authorizations.map(\.id),
            profile: wanted.profile, replaces: wanted.replaces, expires: expires)
        try await transact { [configuration] records in
            try Self.requireRoom(for: order, in: configuration, at: now, records)
            try Self.replace(in: order, at: now, records)
            try records.count(.orders(account: account.id), at: now)
            if var current = try records.find(AccountRecord.self, account.id) {
                current.used = now
                try records.save(current)
            }
            for authorization in authorizations { try records.save(authorization) }
            try records.save(order)
        }
        return try response(order, status: .created)
    }

    private static func requireRoom(
        for order: OrderRecord, in configuration: Configuration, at now: Date, _ records: any ACMERecords
    ) throws {
        let limit = configuration.maximumPendingOrderCount
        guard try records.list(OrderRecord.self, group: order.account).count(where: { $0.isOpen(at: now) }) < limit
        else { throw Refusal(.rateLimited, "The account has \(limit) orders that are not finished.") }
        try records.require(.orders(account: order.account), below: configuration.maximumHourlyOrderCount, at: now)
        for identifier in order.identifiers {
            let subject = Tally.Subject.failures(account: order.account, identifier.authorized)
            try records.require(subject, below: configuration.maximumHourlyFailureCount, at: now)
        }
    }

    /// Records that the order replaces a certificate (RFC 9773 section 5).
    private static func replace(in order: OrderRecord, at now: Date, _ records: any ACMERecords) throws {
        guard let replaces = order.replaces else { return }
        guard let identifier = CertificateIdentifier(replaces),
            var certificate = try records.find(CertificateRecord.self, hex(identifier.number)),
            certificate.account == order.account, let leaf = certificate.leaf,
            CertificateIdentifier(leaf) == identifier
        else { throw Refusal(.malformed, "The account did not order the certificate that is to be replaced.") }
        guard identifiers(of: leaf)?.isDisjoint(with: order.identifiers) == false else {
            throw Refusal(.malformed, "The certificate that is to be replaced has none of the order's names.")
        }
        if let other = try certificate.replacedBy.flatMap({ try records.find(OrderRecord.self, $0) }),
            other.status(at: now) != .invalid
        {
            throw Refusal(.alreadyReplaced, "Another order replaces the certificate.")
        }
        certificate.replacedBy = order.id
        try records.save(certificate)
    }

    private func checked(_ wanted: [ACMEIdentifier]) async throws -> [ACMEIdentifier] {
        guard !wanted.isEmpty, wanted.count <= configuration.maximumIdentifierCount else {
            throw Refusal(.malformed, "An order has 1 to \(configuration.maximumIdentifierCount) identifiers.")
        }
        var (identifiers, problems) = ([ACMEIdentifier](), [ACMEProblem.Part]())
        for one in wanted {
            guard one.type == .dns || one.type == .ip else {
                problems.append(
                    .init(.unsupportedIdentifier, "The type of an identifier must be dns or ip.", identifier: one))
                continue
            }
            guard let identifier = one.canonical else {
                problems.append(.init(.malformed, "The value is not valid for the type.", identifier: one))
                continue
            }
            if !(await issuer.mayIssue(for: identifier)) {
                problems.append(
                    .init(.rejectedIdentifier, "The authority does not issue for this identifier.", identifier: one))
            } else if kinds(for: identifier).isEmpty {
                problems.append(
                    .init(
                        .rejectedIdentifier, "The server has no suitable challenge for this identifier.",
                        identifier: one))
            } else if !identifiers.contains(identifier) {
                identifiers.append(identifier)
            }
        }
        guard let first = problems.first else { return identifiers }
        let kind = problems.allSatisfy { $0.type == first.type } ? first.type : .compound
        throw Refusal(kind, "Some identifiers cannot be ordered.", parts: problems)
    }

    /// The kinds of challenge that can prove control of an identifier.
    ///
    /// A wildcard requires `dns-01` (RFC 8555 section 7.1.3), which an address does not support (RFC 8738 section 4).
    private func kinds(for identifier: ACMEIdentifier) -> [ACMEChallenge.Kind] {
        let all: [ACMEChallenge.Kind] = [.http01, .dns01, .tlsALPN01]
        return all.filter { kind in
            guard validator.kinds.contains(kind) else { return false }
            return identifier.isWildcard ? kind == .dns01 : identifier.type == .dns || kind != .dns01
        }
    }

    func order(_ id: String, _ request: SignedRequest) async throws -> ACMEServerResponse {
        try request.requireNoPayload()
        let account = try request.account
        let order = try await store.transact { try $0.find(OrderRecord.self, id) }
        guard let order, order.account == account.id else { throw Refusal.notFound("order") }
        return try response(order)
    }

    func response(_ order: OrderRecord, status: HTTPResponse.Status = .ok) throws -> ACMEServerResponse {
        let current = order.status(at: clock())
        let resource = ACMEOrder(
            status: current, expiry: order.expires, identifiers: order.identifiers,
            profile: order.profile, replaces: order.replaces, error: order.error,
            authorizations: order.authorizations.map { url(.authorization($0)) }, finalize: url(.finalize(order.id)),
            certificate: current == .valid ? order.certificate.map { url(.certificate($0)) } : nil)
        let response = try ACMEServerResponse(json: resource, status: status).adding(.location, url(.order(order.id)))
        return current == .processing ? response.adding(.retryAfter, "\(configuration.pollInterval)") : response
    }
}

extension OrderRecord {
    /// The maximum duration of issuance.
    ///
    /// A longer one means that the server terminated during issuance.
    private static let maximumProcessingTime: TimeInterval = 300

    /// Returns the status at a time, which accounts for expiry.
    func status(at now: Date) -> ACMEOrder.Status {
        switch status {
        case .pending, .ready: now < expires ? status : .invalid
        case .processing: processingSince.map { now < $0 + Self.maximumProcessingTime } ?? false ? status : .invalid
        case .valid, .invalid: status
        }
    }

    func isOpen(at now: Date) -> Bool {
        switch status(at: now) {
        case .pending, .ready, .processing: true
        case .valid, .invalid: false
        }
    }
}
