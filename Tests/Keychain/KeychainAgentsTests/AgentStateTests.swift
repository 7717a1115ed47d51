// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing

@testable import KeychainAgents

@Suite struct AgentStateTests {
    struct Step: CustomTestStringConvertible, Sendable {
        let seconds: Int
        let request: AgentRequest
        let response: AgentResponse
        var testDescription: String { "at \(seconds) s" }
    }

    struct Story: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let steps: [Step]

        init(_ description: String, _ steps: [(Int, AgentRequest, AgentResponse)]) {
            testDescription = description
            self.steps = steps.map { Step(seconds: $0.0, request: $0.1, response: $0.2) }
        }
    }

    static let id = KeychainID.example(1)
    static let other = KeychainID.example(2)
    static let all = AgentKeys(afterFirstUnlock: Secret("a"), whenUnlocked: Secret("w"))
    static let some = AgentKeys(afterFirstUnlock: Secret("a"), whenUnlocked: nil)

    static func hold(
        _ id: KeychainID = id, unlock: Int = 10, idle: Int? = 30, absolute: Int? = 100
    ) -> AgentRequest {
        let lifetime = AgentLifetime(
            unlockPeriod: .seconds(unlock), idleTimeout: idle.map { .seconds($0) },
            absoluteTimeout: absolute.map { .seconds($0) })
        return .hold(id, all, lifetime)
    }

    static let stories = [
        Story("nothing is held at first", [(0, .fetch(id), .keys(nil)), (0, .status, .status([]))]),
        Story(
            "the key of the unlock is forgotten first",
            [(0, hold(), .done), (9, .fetch(id), .keys(all)), (10, .fetch(id), .keys(some))]),
        Story(
            "a request restarts the idle time",
            [
                (0, hold(), .done), (29, .fetch(id), .keys(some)), (58, .fetch(id), .keys(some)),
                (88, .fetch(id), .keys(nil)),
            ]),
        Story(
            "the absolute time is not restarted",
            [
                (0, hold(absolute: 40), .done), (25, .fetch(id), .keys(some)), (39, .fetch(id), .keys(some)),
                (40, .fetch(id), .keys(nil)),
            ]),
        Story(
            "without limits keys stay",
            [(0, hold(idle: nil, absolute: nil), .done), (1_000_000, .fetch(id), .keys(some))]),
        Story(
            "a new unlock starts all times anew",
            [(0, hold(), .done), (20, hold(), .done), (29, .fetch(id), .keys(all))]),
        Story(
            "locking forgets one keychain",
            [
                (0, hold(), .done), (0, hold(other), .done), (1, .lock(id), .done), (1, .fetch(id), .keys(nil)),
                (1, .fetch(other), .keys(all)),
            ]),
        Story(
            "locking forgets all",
            [(0, hold(), .done), (0, hold(other), .done), (1, .lock(nil), .done), (1, .status, .status([]))]),
        Story(
            "the status tells what is left, and restarts nothing",
            [
                (0, hold(), .done),
                (4, .status, .status([HeldKeychain(id: id, unlockRemaining: .seconds(6), remaining: .seconds(26))])),
                (12, .status, .status([HeldKeychain(id: id, unlockRemaining: nil, remaining: .seconds(18))])),
            ]),
    ]

    @Test("Keys are held for their lifetime", arguments: stories)
    func lifetime(_ story: Story) {
        let start = ContinuousClock.now
        var state = AgentState()
        for step in story.steps {
            let response = state.answer(step.request, at: start + .seconds(step.seconds))
            #expect(response == step.response, "at \(step.seconds) s")
        }
    }

    @Test("The next expiry is the earliest of all keys") func nextEnd() {
        let start = ContinuousClock.now
        var state = AgentState()
        #expect(state.nextEnd == nil)
        _ = state.answer(Self.hold(), at: start)
        #expect(state.nextEnd == start + .seconds(10))
        state.expire(at: start + .seconds(10))
        #expect(state.nextEnd == start + .seconds(30))
        state.expire(at: start + .seconds(30))
        #expect(state.isEmpty && state.nextEnd == nil)
    }

    @Test("At most 64 keychains are held, and held ones can be unlocked again") func full() {
        var state = AgentState()
        for number in 0..<AgentState.maximumKeychainCount {
            #expect(state.answer(Self.hold(.example(UInt8(number))), at: .now) == .done)
        }
        #expect(state.answer(Self.hold(.example(255)), at: .now) == .full)
        #expect(state.answer(Self.hold(.example(0)), at: .now) == .done)
    }
}

extension KeychainID {
    static func example(_ number: UInt8) -> KeychainID {
        KeychainID([UInt8](repeating: number, count: KeychainID.byteCount)) ?? KeychainID.example(number)
    }
}
