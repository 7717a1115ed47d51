// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization

/// So many requests, so many at once, and what they cost.
package struct Load {
    private let options: LoadOptions
    private let perform: @Sendable (_ url: String) async throws -> Int

    /// A load of requests that are all alike.
    ///
    /// - Parameters:
    ///   - options: How many, how many at once, and where to.
    ///   - perform: One request, its response read whole; returns how many bytes of body were sent or arrived, or throws
    ///     where the status was not that of a success.
    package init(_ options: LoadOptions, perform: @escaping @Sendable (_ url: String) async throws -> Int) {
        self.options = options
        self.perform = perform
    }

    /// Makes the requests, and prints what they cost as one line of JSON.
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
