// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Returns the results for all items in order, processing a limited number of items concurrently.
func concurrentMap<Item: Sendable, Result: Sendable>(
    _ items: [Item], atMost limit: Int = 256, progress: (Int) -> Void = { _ in },
    _ body: @escaping @Sendable (Item) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        var (results, next, done) = ([Result?](repeating: nil, count: items.count), 0, 0)
        func start() {
            guard next < items.count else { return }
            let (index, item) = (next, items[next])
            group.addTask { (index, try await body(item)) }
            next += 1
        }
        for _ in 0..<limit { start() }
        for try await (index, result) in group {
            results[index] = result
            done += 1
            progress(done)
            start()
        }
        return results.compactMap(\.self)
    }
}
