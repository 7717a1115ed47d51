// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import Testing

@testable import Countersign

@Suite struct OneShotBodyTests {
    @Test("A cancelled attempt leaves a one-shot body to the next attempt") func cancelled() async throws {
        let body = SessionRequestBody.oneShot(AsyncStream<ByteBuffer> { $0.finish() })
        let attempt = Task {
            while !Task.isCancelled { await Task.yield() }
            try await body.produce { _ in }
        }
        attempt.cancel()
        await #expect(throws: CancellationError.self) { try await attempt.value }
        #expect(body.isAvailable)
        try await body.produce { _ in }
        #expect(!body.isAvailable)
    }
}
