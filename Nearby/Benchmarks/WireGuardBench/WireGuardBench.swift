// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import WireGuardProtocol

/// Measures the cost of a packet in a session, compared with swift-crypto's `ChaChaPoly` alone, and the cost of a
/// handshake.
///
/// Run it with `swift run -c release --package-path Nearby WireGuardBench`. The times are processor times, the best of
/// 15 rounds.
@main
struct WireGuardBench {
    static func main() throws {
        let pair = try BenchPair()
        for size in [60, 1_420] {
            print("\(size) bytes                        ns   times ChaChaPoly")
            let key = SymmetricKey(size: .bits256)
            let text = [UInt8](repeating: 1, count: size)
            let box = try ChaChaPoly.seal(text, using: key)
            let seal = try time { _ = try ChaChaPoly.seal(text, using: key, nonce: box.nonce) }
            let open = try time { _ = try ChaChaPoly.open(box, using: key) }
            line("ChaChaPoly, seal", seal, seal)
            line("packet sent, alone", try pair.send(size, batch: 1), seal)
            line("packet sent, of 64", try pair.send(size, batch: 64), seal)
            line("ChaChaPoly, open", open, open)
            line("packet received, alone", try pair.receive(size), open)
        }
        let agreement = try time(count: 200) { try BenchPair.agree() }
        print("Handshake                          ns   times an X25519 agreement and its key")
        line("X25519, key and agreement", agreement, agreement)
        line("handshake, both sides", try time(count: 100) { try BenchPair().use() }, agreement)
    }

    private static func line(_ name: String, _ time: Double, _ other: Double) {
        let number = String(Int(time.rounded()))
        let ratio = String((time / other * 100).rounded() / 100)
        print("  \(name)".padding(toLength: 30, withPad: " ", startingAt: 0), terminator: "")
        print(String(repeating: " ", count: max(1, 7 - number.count)) + number + "   " + ratio)
    }
}

/// Returns the processor time of a closure in nanoseconds, the best of 15 rounds.
func time(count: Int = 4_000, _ body: () throws -> Void) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<15 {
        let start = processorTime()
        for _ in 0..<count { try body() }
        best = min(best, (processorTime() - start) / Double(count))
    }
    return best
}

/// Returns the processor time that this process has used, in nanoseconds.
private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
