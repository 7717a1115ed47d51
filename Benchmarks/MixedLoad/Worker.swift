// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOCore
import TrustRecipes

/// One task of the load: one errand after another, some of them given up half way.
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
        guard let errand = scene.errands.randomElement(using: &random) else { return }
        let session = sessions.session(for: errand, using: &random)
        let patience = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 0..<40_000, using: &random) : nil
        let readsAll = Int.random(in: 0..<8, using: &random) > 0
        let production = Production(number: tally.nextNumber())
        let request = errand.request(parts: parts, production: production, using: &random)
        let (limit, tally) = (errand.bodyLimit, tally)
        let sending = Task {
            tally.begin()
            defer { tally.end() }
            let response = try await session.send(request)
            if readsAll { _ = try await response.body.collect(upTo: limit) }
            return response.status.code
        }
        if let patience {
            try? await Task.sleep(for: .microseconds(patience))
            sending.cancel()
        }
        let result = await sending.result
        let isSurprise = tally.note(errand, result, wasCancelled: patience != nil)
        if isSurprise { print("\(errand.name), \(production)\n\(scene.stalls.text(of: production.number))") }
    }
}
