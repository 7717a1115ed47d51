// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Turns

/// A table of the time and memory for revocation lists by size, compared with OpenSSL.
struct ListTable {
    /// The number of rounds, which is small because OpenSSL needs a second to read a long list.
    private static let rounds = 5
    private static let lookups = 10

    let rounds: Int
    let openssl: String?

    func measure(sizes: [Int]) async throws {
        print(
            """
            Revocation lists. "from bytes" reads the list, checks all its entries, its signature and its dates, and looks a \
            certificate up; "again" asks the list that was read once more; memory is the peak over the size of the file
            """)
        print(Self.row("", "entries", "MB", "from bytes, ms", "ns an entry", "again, ms", "memory"))
        for size in sizes { try await measure(size) }
    }

    private func measure(_ size: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trust-bench-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let list = try BenchList(entries: size)
        try list.write(to: folder)
        let prefix = folder.appending(path: "revoked").path
        var peers = [try PeerProcess(Self.executable, ["--list-work"])]
        if let openssl { peers.append(try PeerProcess(openssl, [])) }
        // Memory is measured by the first request, because the peak never decreases.
        var memory: [Int] = []
        for peer in peers { memory.append(try await peer.contender(mode: "memory", prefix: prefix).run(1)) }
        let turns = Turns(rounds: min(rounds, Self.rounds), length: 0, trial: 1)
        let reading = try await turns.measure(peers.map { $0.contender(mode: "bytes", prefix: prefix) }).medians
        let again = try await turns.measure(
            peers.map { peer in
                let contender = peer.contender(mode: "lookup", prefix: prefix)
                return Contender(peer.version) { try await contender.run($0 * Self.lookups) / Self.lookups }
            }
        ).medians
        for (index, peer) in peers.enumerated() {
            let name = peer.version.split(separator: " ").prefix(2).joined(separator: " ")
            print(
                Self.row(
                    name, "\(size)", Self.text(Double(list.list.count) / 1e6), Self.text(reading[index] / 1e6),
                    Self.text(reading[index] / Double(size)), Self.text(again[index] / 1e6, digits: 3),
                    Self.text(Double(memory[index]) / Double(list.list.count))))
        }
        for peer in peers { try peer.end() }
    }

    private static var executable: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }

    private static func text(_ value: Double, digits: Int = 1) -> String { String(format: "%.\(digits)f", value) }

    private static func row(_ name: String, _ columns: String...) -> String {
        name.padding(toLength: 16, withPad: " ", startingAt: 0)
            + columns.map { String(repeating: " ", count: max(1, 16 - $0.count)) + $0 }.joined()
    }
}
