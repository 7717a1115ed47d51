// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import WireGuardProtocol

@testable import EthernetTunnel

@Suite struct PathSearchTests {
    /// A path that drops longer packets without an error, and a peer that answers immediately.
    private struct Path {
        var search: PathSearch
        /// The length of the longest packet that arrives; 0 if none does.
        var length: Int
        var isUsed = true
        private(set) var now: Instant
        private(set) var news: [Int] = []
        private(set) var probes: [Int] = []

        init(limit: Int, length: Int) {
            now = .now
            search = PathSearch(limit: limit, now: now, isPossible: true)
            self.length = length
        }

        mutating func run(for duration: Duration) {
            let end = now + duration
            while let due = search.deadline, due <= end {
                now = max(now, due)
                if let probe = search.advance(isUsed: isUsed, now: now) {
                    probes.append(probe.length)
                    if probe.length <= length { search.takeAnswer(to: probe.identifier, now: now) }
                }
                if let path = search.takeChangedLength() { news.append(path) }
            }
            now = end
        }
    }

    @Test("The kernel's length is used once a probe of it is acknowledged, and the base length before")
    func confirmation() {
        var path = Path(limit: 1_500, length: 1_500)
        #expect(path.search.length == 1_280 && path.search.expected == 1_500)
        path.run(for: .milliseconds(1))
        #expect(path.search.length == 1_500 && path.probes == [1_500] && path.news.isEmpty)
    }

    @Test(
        "If longer packets are lost, the longest candidate that arrives is found within half a minute",
        arguments: [
            (1_500, 1_492, 1_492), (1_500, 1_480, 1_480), (1_500, 1_454, 1_454), (1_500, 1_463, 1_460),
            (1_500, 1_400, 1_400), (1_500, 1_300, 1_300), (1_500, 1_281, 1_280), (9_000, 1_500, 1_500),
            (9_000, 8_999, 8_166), (1_420, 1_419, 1_400),
        ])
    func narrowPath(limit: Int, length: Int, found: Int) {
        var path = Path(limit: limit, length: length)
        path.run(for: .seconds(25))
        #expect(path.search.length == found)
        #expect(path.news == (found == 1_280 ? [1_280] : [1_280, found]), "the base at once, the result at the end")
    }

    @Test("A decreased path MTU is detected within 40 s of use, and an increased one within 11 minutes")
    func changes() {
        var path = Path(limit: 1_500, length: 1_500)
        path.run(for: .seconds(1))
        path.length = 1_400
        path.run(for: .seconds(35))
        #expect(path.news.first == 1_280)
        path.run(for: .seconds(20))
        #expect(path.search.length == 1_400)
        path.length = 1_500
        path.run(for: .seconds(660))
        #expect(path.search.length == 1_500 && path.news == [1_280, 1_400, 1_500])
    }

    @Test("A tunnel without long packets sends no further probes")
    func unused() {
        var path = Path(limit: 1_500, length: 1_500)
        path.isUsed = false
        path.run(for: .seconds(3_600))
        #expect(path.probes == [1_500])
    }

    @Test("If the path is down or the peer answers no probes, the kernel's length is used")
    func deadPath() {
        var path = Path(limit: 1_500, length: 0)
        path.run(for: .seconds(10))
        #expect(path.search.length == 1_500 && path.news.isEmpty && path.probes.count == 6)
        path.length = 1_500
        path.run(for: .seconds(60))
        path.length = 0
        path.run(for: .seconds(60))
        #expect(path.search.length == 1_500 && path.news.isEmpty)
    }

    @Test("Three probes lost to congestion reduce the length only briefly")
    func congestion() {
        var path = Path(limit: 1_500, length: 1_280)
        path.run(for: .milliseconds(3_001))
        #expect(path.search.length == 1_280)
        path.length = 1_500
        path.run(for: .seconds(10))
        #expect(path.search.length == 1_500 && path.news == [1_280, 1_500])
    }

    @Test("Answers to no probe, to an earlier probe or after the search have no effect")
    func strayAnswers() throws {
        let now = Instant.now
        var search = PathSearch(limit: 1_500, now: now, isPossible: true, identifier: .max - 1)
        search.takeAnswer(to: .max - 1, now: now)
        func advance(after delay: Duration) -> PathSearch.Probe? { search.advance(isUsed: true, now: now + delay) }
        let first = try #require(advance(after: .zero))
        #expect(first == .init(identifier: .max, length: 1_500) && advance(after: .zero) == nil)
        for wrong in [first.identifier - 1, 0, 7] as [UInt32] { search.takeAnswer(to: wrong, now: now) }
        #expect(search.length == 1_280)
        let second = try #require(advance(after: .seconds(1)))
        #expect(second.identifier == 0)
        search.takeAnswer(to: first.identifier, now: now + .seconds(1))
        #expect(search.length == 1_500, "the answer to the first one was late")
        search.takeAnswer(to: second.identifier, now: now + .seconds(1))
        #expect(search.length == 1_500)
    }

    @Test(
        "Nothing is probed if the kernel's path MTU is small, or the peer is another implementation",
        arguments: [true, false])
    func notNeeded(isPossible: Bool) {
        let search = PathSearch(limit: isPossible ? 1_280 : 1_500, now: .now, isPossible: isPossible)
        #expect(search.deadline == nil && search.length == search.expected)
    }

    @Test("Path messages are distinguished from frames and packets")
    func messages() {
        var bytes: [UInt8] = Array(repeating: 7, count: 20)
        for kind in [PathMessage.Kind.probe, .answer] {
            let message = PathMessage(kind, 0x0102_0304)
            bytes.withUnsafeMutableBytes { message.write(to: $0) }
            #expect(bytes.withUnsafeBytes { PathMessage($0) } == message && bytes[6...].allSatisfy { $0 == 0 })
            #expect(bytes.withUnsafeBytes { !EtherIP.hasHeader($0) && InnerPacket($0) == nil })
        }
        for other in [[0x50, 2, 0, 0, 0, 0], [0x50, 0, 0, 0, 0], [0x30, 0, 0, 0, 0, 0], []] as [[UInt8]] {
            #expect(other.withUnsafeBytes { PathMessage($0) } == nil)
        }
    }
}
