// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing

@testable import KeychainAgents

@Suite struct AgentMessageTests {
    static let requests: [AgentRequest] = [
        AgentStateTests.hold(), AgentStateTests.hold(idle: nil, absolute: nil),
        .hold(.example(1), AgentStateTests.some, AgentLifetime()), .fetch(.example(1)), .lock(.example(1)), .lock(nil),
        .status,
    ]
    static let responses: [AgentResponse] = [
        .done, .keys(AgentStateTests.all), .keys(AgentStateTests.some), .keys(nil), .status([]),
        .status([
            HeldKeychain(id: .example(1), unlockRemaining: nil, remaining: .seconds(5)),
            HeldKeychain(id: .example(2), unlockRemaining: .seconds(1), remaining: nil),
        ]),
        .full, .refused,
    ]

    @Test("A request is equal when read again", arguments: requests)
    func request(_ request: AgentRequest) {
        #expect(AgentRequest(request.encoded) == request)
    }

    @Test("A response is equal when read again", arguments: responses)
    func response(_ response: AgentResponse) {
        #expect(AgentResponse(response.encoded) == response)
    }

    @Test("A truncated message, or one with additional bytes, is refused")
    func wrongLength() {
        for bytes in Self.requests.map(\.encoded) {
            for count in bytes.indices { #expect(AgentRequest(Array(bytes[..<count])) == nil) }
            #expect(AgentRequest(bytes + [0]) == nil)
        }
        for bytes in Self.responses.map(\.encoded) {
            #expect(AgentResponse(bytes + [0]) == nil)
        }
    }

    @Test("Random bytes never end the process, and keys beyond the limit are refused")
    func anyBytes() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var bytes = Self.requests.randomElement(using: &random)?.encoded ?? []
            for _ in 0..<3 where !bytes.isEmpty { bytes[Int.random(in: bytes.indices)] = .random(in: 0...255) }
            if let request = AgentRequest(bytes) { #expect(AgentRequest(request.encoded) == request) }
            _ = AgentResponse(bytes)
        }
    }

    @Test("Seconds are rounded up and limited")
    func durations() {
        let lifetime = AgentLifetime(
            unlockPeriod: .milliseconds(1), idleTimeout: .seconds(-5), absoluteTimeout: .seconds(Int64.max))
        let expected = AgentLifetime(
            unlockPeriod: .seconds(1), idleTimeout: .zero, absoluteTimeout: .seconds(4_294_967_294))
        #expect(
            AgentRequest(AgentRequest.hold(.example(1), AgentStateTests.all, lifetime).encoded)
                == .hold(.example(1), AgentStateTests.all, expected))
    }
}
