// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOConcurrencyHelpers

/// A handler that answers every challenge with the same credential, and records the challenges.
final class RecordingHandler: ChallengeHandler {
    private let credential: Credential
    private let recorded = NIOLockedValueBox<[Challenge]>([])

    init(_ credential: Credential) {
        self.credential = credential
    }

    var challenges: [Challenge] { recorded.withLockedValue { $0 } }

    func answer(_ challenge: Challenge) async throws -> Disposition {
        recorded.withLockedValue { $0.append(challenge) }
        return .use(credential)
    }
}
