// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization

/// A number of requests, of which several are concurrent, and a measurement of their cost.
package struct Load {
    private let options: LoadOptions
    private let perform: @Sendable (_ url: String) async throws -> Int

    /// Creates a load of identical requests.
    ///
    /// - Parameters:
    ///   - options: The number of requests, the concurrency and the URL.
    ///   - perform: Sends a request, reads the complete response, and returns the number of body bytes sent or
    ///     received;
    ///     it throws for an unsuccessful status.
    package init(_ options: LoadOptions, perform: @escaping @Sendable (_ url: String) async throws -> Int) {
        self.options = options
        self.perform = perform
    }

    /// Sends the requests, and prints their cost as one line of JSON.
    package func run() async throws {
        _ = try await requests(options.warmUp)
        let start = Usage.now
        let bytes = try await requests(options.count)
        let spent = Usage.now.since(start)
        print(
            """
            {"requests": \(options.count), "bytes": \(bytes), "seconds": \(spent.seconds), \
            "user": \(spent.user), "system": \(spent.system), "peak": \(Usage.peak), \
            "allocations": \(spent.allocations)}
            """)
    }

    private func requests(_ count: Int) async throws -> Int {
        let next = Counter()
        let (urls, perform) = (options.urls, perform)
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<min(options.concurrency, count) {
                group.addTask {
                    var bytes = 0
                    while let index = next.take(below: count) {
                        bytes += try await perform(urls[index % urls.count])
                    }
                    return bytes
                }
            }
            return try await group.reduce(0, +)
        }
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)

        func take(below limit: Int) -> Int? {
            let taken = value.wrappingAdd(1, ordering: .relaxed).oldValue
            return taken < limit ? taken : nil
        }
    }
}
