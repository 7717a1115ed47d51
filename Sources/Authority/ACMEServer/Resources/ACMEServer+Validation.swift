// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ACMEServer {
    /// Marks a challenge as being looked at, and looks, while the client is answered already.
    ///
    /// A challenge that a server which ended left behind is looked at again.
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
        guard isStarted else { throw Refusal(.rateLimited, "The server looks at too many challenges; try again.") }
        return marked
    }

    private func validate(_ task: ValidationTask, in id: String) async {
        var problem: Problem?
        do {
            if case .invalid(let kind, let detail) = try await validator.validate(task) {
                problem = Problem(kind, detail, status: kind == .unauthorized ? 403 : 400)
            }
        } catch {
            problem = Problem(.serverInternal, "The server could not look.", status: 500)
        }
        let (now, lifetime) = (clock(), configuration.authorizationLifetime)
        // Where the store fails, the challenge stays as it is, and the client can ask for it again.
        try? await transact { [problem] records in
            try Self.settle(task.kind, of: id, with: problem, now: now, lifetime: lifetime, records)
        }
    }

    /// Authorization and order change in one transaction: a client that sees the last authorization valid may finalize at once.
    private static func settle(
        _ kind: Challenge.Kind, of id: String, with problem: Problem?, now: Date, lifetime: TimeInterval,
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
            problem.subproblems = [Problem.Part(problem.type, problem.detail, identifier: record.identifier)]
            (order.status, order.error) = (.invalid, problem)
        } else {
            let others = try order.authorizations.map { try records.find(AuthorizationRecord.self, $0) }
            guard others.allSatisfy({ $0?.status(at: now) == .valid }) else { return }
            order.status = .ready
        }
        try records.save(order)
    }
}

/// The validations that are under way.
actor Validations {
    private let limit: Int
    private var running: [String: Task<Void, Never>] = [:]

    init(limit: Int) { self.limit = limit }

    /// Starts one for an authorization, unless one is under way; `false` where there are too many.
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
