// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOCore
import TrustRecipes

/// A task of the load, which runs one scenario after another and cancels some of them.
struct Worker: Sendable {
    let scene: LoadScene
    let sessions: LoadSessions
    let tally: Tally
    let parts: CountedParts.Count
    private var random: SplitMix64

    init(scene: LoadScene, sessions: LoadSessions, tally: Tally, parts: CountedParts.Count, seed: UInt64) {
        (self.scene, self.sessions, self.tally, self.parts) = (scene, sessions, tally, parts)
        random = SplitMix64(seed: seed)
    }

    mutating func turn() async {
        guard let scenario = scene.scenarios.randomElement(using: &random) else { return }
        let session = sessions.session(for: scenario, using: &random)
        let timeout = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 0..<40_000, using: &random) : nil
        let readsAll = Int.random(in: 0..<8, using: &random) > 0
        let production = Production(number: tally.nextNumber())
        let request = scenario.request(parts: parts, production: production, using: &random)
        let (limit, tally) = (scenario.bodyLimit, tally)
        let sending = Task {
            tally.begin()
            defer { tally.end() }
            let response = try await session.send(request)
            if readsAll { _ = try await response.body.collect(upTo: limit) }
            return response.status.code
        }
        if let timeout {
            try? await Task.sleep(for: .microseconds(timeout))
            sending.cancel()
        }
        let result = await sending.result
        let isUnexpected = tally.note(scenario, result, wasCancelled: timeout != nil)
        if isUnexpected { print("\(scenario.name), \(production)\n\(scene.stalls.text(of: production.number))") }
    }
}
