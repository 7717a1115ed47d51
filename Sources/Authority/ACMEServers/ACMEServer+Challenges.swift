// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME
internal import EssentialFoundation
internal import HTTPTypes

/// A validator that checks whether a client has answered a challenge (RFC 8555 section 8).
public protocol ChallengeValidator: Sendable {
    /// The kinds of challenges that the validator can check; the server offers no others.
    var kinds: Set<ACMEChallenge.Kind> { get }

    /// Checks once whether a challenge is answered.
    ///
    /// - Parameter task: The challenge and the expected proof.
    /// - Returns: Whether the proof was found.
    /// - Throws: Any error if the check is not possible; the challenge then fails with `serverInternal`.
    func validate(_ task: ValidationTask) async throws -> ValidationOutcome
}

/// A challenge for a validator to check, with the expected answer.
public struct ValidationTask: Hashable, Sendable {
    /// The kind of the challenge.
    public let kind: ACMEChallenge.Kind
    /// The name, without `*.`.
    public let identifier: ACMEIdentifier
    /// The token of the challenge.
    public let token: String
    /// The proof that the validator must find.
    public let authorization: KeyAuthorization

    /// Creates a task from its parts.
    public init(kind: ACMEChallenge.Kind, identifier: ACMEIdentifier, token: String, authorization: KeyAuthorization) {
        (self.kind, self.identifier, self.token) = (kind, identifier, token)
        self.authorization = authorization
    }
}

/// The result of a validation.
public enum ValidationOutcome: Hashable, Sendable {
    /// The validator found the proof.
    case valid
    /// The validator did not find the proof. Holds one of the kinds `connection`, `dns`, `tls`, `unauthorized`,
    /// `incorrectResponse` and `caa`, and a description for the client.
    case invalid(ACMEProblem.Kind, String)
}

/// The authorization and challenge resources (RFC 8555 section 7.5).
extension ACMEServer {
    private struct Update: Decodable {
        let status: String
    }

    func authorization(_ id: String, _ request: SignedRequest) async throws -> ACMEServerResponse {
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
                    order.error = ACMEProblem(.unauthorized, "An authorization was deactivated.", status: 403)
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

    private func response(_ record: AuthorizationRecord) throws -> ACMEServerResponse {
        let status = record.status(at: clock())
        let resource = ACMEAuthorization(
            identifier: record.identifier, status: status, expiry: record.expires,
            // As soon as the authorization has its result, only the challenge that gave the result is listed.
            challenges: record.challenges.filter { status == .pending || $0.validated != nil || $0.error != nil }
                .map { self.resource($0, of: record) },
            wildcard: record.isWildcard ? true : nil)
        let response = try ACMEServerResponse(json: resource)
        return status == .pending ? response.adding(.retryAfter, "\(configuration.pollInterval)") : response
    }

    private func resource(
        _ challenge: AuthorizationRecord.ChallengeRecord, of record: AuthorizationRecord
    ) -> ACMEChallenge {
        ACMEChallenge(
            type: challenge.type, url: url(.challenge(authorization: record.id, kind: challenge.type.rawValue)),
            status: challenge.status, validated: challenge.validated, error: challenge.error,
            token: challenge.token)
    }

    /// Starts the validation of a challenge that the client reports as answered (RFC 8555 section 7.5.1).
    func challenge(_ kind: String, of id: String, _ request: SignedRequest) async throws -> ACMEServerResponse {
        let account = try request.account
        var record = try await find(id, of: account)
        guard let index = record.challenges.firstIndex(where: { $0.type.rawValue == kind }) else {
            throw Refusal.notFound("challenge")
        }
        if !request.payload.isEmpty {
            // RFC 8555 section 8: the payload is an object, whose members no supported challenge needs.
            _ = try request.decode(Nothing.self)
            let status = record.challenges[index].status
            if record.status(at: clock()) == .pending, status == .pending || status == .processing {
                let started = try await startValidation(of: record.challenges[index], in: record, key: account.key)
                if let started { record = started }
            }
        }
        let response = try ACMEServerResponse(json: resource(record.challenges[index], of: record))
            .linking(to: url(.authorization(id)), "up")
        let isOpen = record.challenges[index].status == .processing
        return isOpen ? response.adding(.retryAfter, "\(configuration.pollInterval)") : response
    }

    private struct Nothing: Decodable {
        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Key.self) }

        private enum Key: CodingKey {}
    }
}

extension ACMEServer {
    /// Marks a challenge as processing, and validates it in the background while the client gets its response.
    ///
    /// A challenge whose validation did not finish, because its server terminated, is validated again.
    func startValidation(
        of challenge: AuthorizationRecord.ChallengeRecord, in record: AuthorizationRecord, key: JSONWebKey
    ) async throws -> AuthorizationRecord? {
        let marked = try await transact { records -> AuthorizationRecord? in
            guard var current = try records.find(AuthorizationRecord.self, record.id), current.status == .pending,
                let index = current.challenges.firstIndex(where: { $0.type == challenge.type })
            else { return nil }
            current.challenges[index].status = .processing
            try records.save(current)
            return current
        }
        guard let marked else { return nil }
        let task = ValidationTask(
            kind: challenge.type, identifier: record.identifier, token: challenge.token,
            authorization: KeyAuthorization(token: challenge.token, key: key))
        let isStarted = await validations.start(record.id) { await validate(task, in: record.id) }
        guard isStarted else { throw Refusal(.rateLimited, "The server is validating too many challenges; try again.") }
        return marked
    }

    private func validate(_ task: ValidationTask, in id: String) async {
        var problem: ACMEProblem?
        do {
            if case .invalid(let kind, let detail) = try await validator.validate(task) {
                problem = ACMEProblem(kind, detail, status: kind == .unauthorized ? 403 : 400)
            }
        } catch {
            problem = ACMEProblem(.serverInternal, "The server could not perform the validation.", status: 500)
        }
        let (now, lifetime) = (clock(), configuration.authorizationLifetime)
        // If the store fails, the challenge keeps its state, and the client can request another validation.
        try? await transact { [problem] records in
            try Self.settle(task.kind, of: id, with: problem, now: now, lifetime: lifetime, records)
        }
    }

    /// Updates the authorization and the order in one transaction: a client that sees the last authorization valid may
    /// finalize at once.
    private static func settle(
        _ kind: ACMEChallenge.Kind, of id: String, with problem: ACMEProblem?, now: Date, lifetime: TimeInterval,
        _ records: any ACMERecords
    ) throws {
        guard var record = try records.find(AuthorizationRecord.self, id), record.status(at: now) == .pending,
            let index = record.challenges.firstIndex(where: { $0.type == kind })
        else { return }
        record.challenges[index].status = problem == nil ? .valid : .invalid
        record.challenges[index].validated = problem == nil ? now : nil
        record.challenges[index].error = problem
        record.status = problem == nil ? .valid : .invalid
        if problem == nil { record.expires = now + lifetime }
        try records.save(record)
        if let problem, problem.type != .serverInternal {
            try records.count(.failures(account: record.account, record.identifier), at: now)
        }
        guard var order = try records.find(OrderRecord.self, record.order), order.status == .pending else { return }
        if var problem {
            problem.subproblems = [ACMEProblem.Part(problem.type, problem.detail, identifier: record.identifier)]
            (order.status, order.error) = (.invalid, problem)
        } else {
            let others = try order.authorizations.map { try records.find(AuthorizationRecord.self, $0) }
            guard others.allSatisfy({ $0?.status(at: now) == .valid }) else { return }
            order.status = .ready
        }
        try records.save(order)
    }
}

/// The running validations.
actor Validations {
    private let limit: Int
    private var running: [String: Task<Void, Never>] = [:]

    init(limit: Int) { self.limit = limit }

    /// Starts a validation of an authorization unless one is running; returns `false` if too many are running.
    func start(_ id: String, _ work: @escaping @Sendable () async -> Void) -> Bool {
        guard running[id] == nil else { return true }
        guard running.count < limit else { return false }
        running[id] = Task {
            await work()
            remove(id)
        }
        return true
    }

    func finish() async {
        while let task = running.values.first { await task.value }
    }

    private func remove(_ id: String) { running[id] = nil }
}
