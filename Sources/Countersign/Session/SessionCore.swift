// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Logging
import NIOCore
import NIOPosix

/// What all copies of a session share.
final class SessionCore: Sendable {
    let configuration: Session.Configuration
    let memory = CredentialMemory()
    let pool = ConnectionPool()
    let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    private let anchors = SystemAnchors()

    init(configuration: Session.Configuration) {
        self.configuration = configuration
    }

    /// The system's anchors, read when a policy first needs them.
    func systemAnchors(for policy: TrustPolicy) throws -> AnchorStore {
        try anchors.store(for: policy)
    }

    func report(_ event: SessionEvent) {
        configuration.observer?(event)
        configuration.logger?.debug("\(event.summary)")
    }

    /// Puts a challenge to the handler of its method.
    func ask(_ challenge: Challenge) async throws -> SessionEvent.Answer {
        guard let handler = configuration.handlers[challenge.space.method] else { return .performedDefault }
        return switch try await handler.answer(challenge) {
        case .use(let credential): .used(credential)
        case .performDefault: .performedDefault
        case .rejectProtectionSpace: .rejectedProtectionSpace
        case .cancel: .cancelled
        }
    }
}
