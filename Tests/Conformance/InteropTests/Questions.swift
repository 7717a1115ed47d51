// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOConcurrencyHelpers

/// Answers every challenge alike and keeps what it was asked.
final class Questions: ChallengeHandler {
    private let credential: Credential
    private let questions = NIOLockedValueBox<[Challenge]>([])

    init(_ credential: Credential) {
        self.credential = credential
    }

    var asked: [Challenge] { questions.withLockedValue { $0 } }

    func answer(_ challenge: Challenge) async throws -> Disposition {
        questions.withLockedValue { $0.append(challenge) }
        return .use(credential)
    }
}
