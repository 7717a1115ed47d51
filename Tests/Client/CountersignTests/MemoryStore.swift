// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOConcurrencyHelpers

/// A credential store in memory, for several sessions of one test.
final class MemoryStore: CredentialStore {
    struct Broken: Error {}

    private let stored = NIOLockedValueBox<[ProtectionSpace: Credential]>([:])
    private let calls = NIOLockedValueBox<[String]>([])
    private let isBroken: Bool

    init(isBroken: Bool = false) {
        self.isBroken = isBroken
    }

    var contents: [Credential] { stored.withLockedValue { Array($0.values) } }
    /// The calls of the store, in order.
    var log: [String] { calls.withLockedValue { $0 } }

    func read(for space: ProtectionSpace) async throws -> Credential? {
        try note("read")
        return stored.withLockedValue { $0[space] }
    }

    func save(_ credential: Credential, for space: ProtectionSpace) async throws {
        try note("save")
        stored.withLockedValue { $0[space] = credential }
    }

    func remove(for space: ProtectionSpace) async throws {
        try note("remove")
        stored.withLockedValue { $0[space] = nil }
    }

    private func note(_ call: String) throws {
        calls.withLockedValue { $0.append(call) }
        if isBroken { throw Broken() }
    }
}
