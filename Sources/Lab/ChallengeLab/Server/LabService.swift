// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// What one server of the lab is: whom it lets in, and what it replies to those.
final class LabService: Sendable {
    let role: LabRole
    let isSecure: Bool
    let gate: (any LabGate)?
    private let gathersBodies: Bool
    let reply: @Sendable (LabRequest, _ connection: Int) -> LabReply

    private let counts = NIOLockedValueBox((requests: 0, connections: 0))

    /// Those that the gate refused included.
    var requestCount: Int { counts.withLockedValue { $0.requests } }
    /// Those over which nothing came included.
    var connectionCount: Int { counts.withLockedValue { $0.connections } }

    init(
        role: LabRole = .origin, isSecure: Bool, gate: (any LabGate)? = nil, gathersBodies: Bool = false,
        reply: @escaping @Sendable (LabRequest, _ connection: Int) -> LabReply
    ) {
        self.role = role
        self.isSecure = isSecure
        self.gate = gate
        self.gathersBodies = gathersBodies
        self.reply = reply
    }

    /// Whether a request is judged by its head alone, so that a proxy can pass its body on while it arrives.
    var judgesHeadsAlone: Bool { gate?.bodyHash == nil }

    /// An empty body, to which what arrives is added.
    ///
    /// A proxy whose gate hashes bodies has to keep one until it is let in.
    func newBody() -> LabBody {
        let isKept = gathersBodies || role == .proxy && !judgesHeadsAlone
        return LabBody(LabBody.Use(isGathered: isKept, hash: gate?.bodyHash))
    }

    /// A proxy to loopback.
    static func proxy(isSecure: Bool, gate: (any LabGate)?) -> LabService {
        LabService(role: .proxy, isSecure: isSecure, gate: gate) { request, _ in LabProxy.reply(to: request) }
    }

    /// Someone to answer a new connection's requests.
    func attendant() -> LabAttendant {
        let number = counts.withLockedValue { counts in
            counts.connections += 1
            return counts.connections
        }
        return LabAttendant(service: self, connection: number, verifier: gate?.verifier())
    }

    func noteRequest() {
        counts.withLockedValue { $0.requests += 1 }
    }
}
