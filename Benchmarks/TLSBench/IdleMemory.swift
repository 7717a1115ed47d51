// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import NIOCore

/// The memory of idle connections.
enum IdleMemory {
    private struct Unknown: Error, CustomStringConvertible {
        let description = "This system does not report the private memory of a process; the measurement needs Linux."
    }

    /// Returns the private memory of a connection that has received a response, in bytes.
    static func bytesPerConnection(_ client: BenchClient, count: Int) async throws -> Int {
        // The first connections allocate the memory that all connections share.
        var channels: [any Channel] = []
        for _ in 0..<10 { channels.append(try await client.open(closes: false)) }
        let before = try privateBytes
        for _ in 0..<count { channels.append(try await client.open(closes: false)) }
        try await Task.sleep(for: .seconds(1))
        let after = try privateBytes
        for channel in channels { try? await channel.close() }
        return (after - before) / count
    }

    private static var privateBytes: Int {
        get throws {
            guard let text = try? String(contentsOf: URL(filePath: "/proc/self/smaps_rollup"), encoding: .utf8) else {
                throw Unknown()
            }
            let lines = text.split(separator: "\n").filter { $0.hasPrefix("Private_") }
            return lines.reduce(0) { $0 + (Int($1.filter(\.isNumber)) ?? 0) * 1_024 }
        }
    }
}
