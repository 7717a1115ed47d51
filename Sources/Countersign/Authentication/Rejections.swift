// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// What an challenger has rejected of one request's answers, and what may still be tried.
struct Rejections {
    private let preference: MethodPreference
    private(set) var credentials: [ProtectionSpace: [Credential]] = [:]
    private var declined: Set<ProtectionSpace> = []

    init(preference: MethodPreference) {
        self.preference = preference
    }

    var isEmpty: Bool { credentials.isEmpty }

    /// The challenger rejected an answer.
    mutating func add(_ credential: Credential, in space: ProtectionSpace) {
        credentials[space, default: []].append(credential)
    }

    /// A handler wants the next method tried.
    mutating func decline(_ space: ProtectionSpace) {
        declined.insert(space)
    }

    /// Whoever rejects the answer of a strong method is not given that of a weaker one, unless that was allowed or asked for.
    func permit(_ space: ProtectionSpace) -> Bool {
        guard !declined.contains(space) else { return false }
        return preference.allowsWeakerMethodAfterRejection
            || credentials.keys.allSatisfy {
                declined.contains($0) || !preference.isWeaker(space.method, than: $0.method)
            }
    }

    /// Whether the next method is tried where a handler has nothing more to say to this one.
    func leaveTheNextMethod(after space: ProtectionSpace) -> Bool {
        credentials[space] != nil && preference.allowsWeakerMethodAfterRejection
    }
}
