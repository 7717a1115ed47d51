// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// Finds the credential for a challenge: the request's own, the session memory's, the permanent store's, or the answer
/// of a handler, in this order.
///
/// A request with a credential of its own authenticates as that credential's user; neither the session's memory of
/// other requests nor the store is consulted.
struct CredentialLookup {
    private let own: OwnCredential?
    private let context: RequestContext
    private let proposedUser: String?
    private var stored: [ProtectionSpace: Credential?] = [:]

    private var core: SessionCore { context.core }

    init(context: RequestContext, own: OwnCredential?, proposedUser: String?) {
        self.context = context
        self.own = own
        self.proposedUser = proposedUser
    }

    /// Returns whether a credential or a handler exists for a method; a method without either does not precede a method
    /// that has one.
    mutating func isAnswerable(_ space: ProtectionSpace, rejected: [ProtectionSpace: [Credential]]) async -> Bool {
        if context.hasHandler(for: space.method) { return true }
        return await known(in: space, rejected: rejected) != nil
    }

    /// Searches all sources, and asks the handler if they hold no credential that has not been rejected yet.
    mutating func answer(
        _ statement: Challenge.Statement, in space: ProtectionSpace, rejected: [ProtectionSpace: [Credential]]
    ) async throws -> (question: Challenge, answer: SessionEvent.Answer) {
        let failures = rejected[space] ?? []
        let known = await known(in: space, rejected: rejected)
        var question = Challenge(
            space: space, failureCount: failures.count, proposedCredential: known ?? failures.last,
            proposedUser: proposedUser, statement: statement)
        question.rejectedCredentials = failures
        // A credential that this protection space has accepted before does not count against the answer limit.
        let isAccepted = known != nil && core.memory.credential(in: space, own: own?.credential) == known
        guard isAccepted || context.takeAnswer(in: space) else { return (question, .limitReached) }
        if let known { return (question, .used(known)) }
        let answer = try await context.ask(question)
        if case .used(let credential) = answer, failures.holds(credential) {
            return (question, .repeatedRejectedCredential)
        }
        return (question, answer)
    }

    private mutating func known(
        in space: ProtectionSpace, rejected: [ProtectionSpace: [Credential]]
    ) async -> Credential? {
        if let own, own.suits(space.method) {
            // The realm is ignored: the request's own credential is meant for the entire origin.
            let isRejected = rejected.contains { $0.key.method == space.method && $0.value.holds(own.credential) }
            if !isRejected { return own.credential }
        }
        let failures = rejected[space] ?? []
        let remembered = core.memory.credential(in: space, own: own?.credential)
        if let remembered, !failures.holds(remembered) { return remembered }
        guard own == nil, let stored = await read(space), !failures.holds(stored) else { return nil }
        return stored
    }

    // MARK: The permanent store

    private mutating func read(_ space: ProtectionSpace) async -> Credential? {
        if let known = stored[space] { return known }
        let found = await withStore(space) { try await $0.read(for: space) } ?? nil
        let credential = found.map { Credential($0.kind, persistence: .permanent) }
        stored[space] = .some(credential)
        return credential
    }

    /// Saves an accepted credential if it is permanent and differs from the stored one.
    ///
    /// A request's own credential is never saved.
    mutating func keep(_ credential: Credential, in space: ProtectionSpace) async {
        guard own == nil, credential.persistence == .permanent, credential.isStorable,
            await read(space)?.kind != credential.kind
        else { return }
        await withStore(space) { try await $0.save(credential, for: space) }
        stored[space] = .some(credential)
    }

    /// Removes a rejected credential, unless a different one is stored.
    mutating func drop(_ credential: Credential, in space: ProtectionSpace) async {
        guard core.configuration.credentialStore != nil, let saved = await read(space), saved.kind == credential.kind
        else { return }
        await withStore(space) { try await $0.remove(for: space) }
        stored[space] = .some(nil)
    }

    @discardableResult
    private func withStore<Result>(
        _ space: ProtectionSpace, _ body: (any CredentialStore) async throws -> Result
    ) async -> Result? {
        guard let store = core.configuration.credentialStore else { return nil }
        do {
            return try await body(store)
        } catch {
            context.report(.credentialStoreFailed(space, error))
            return nil
        }
    }
}

extension [Credential] {
    /// Returns whether the list contains the credential, regardless of its persistence.
    fileprivate func holds(_ credential: Credential) -> Bool {
        contains { $0.kind == credential.kind }
    }
}

extension Credential {
    /// Whether a credential store can hold the credential.
    ///
    /// Identities, tickets and accepted chains are never stored.
    fileprivate var isStorable: Bool {
        switch kind {
        case .password, .token: true
        case .currentUser, .identity, .encodedIdentity, .serverTrust: false
        }
    }
}
