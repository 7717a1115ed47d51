// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import Synchronization

/// A number of requests, of which several are concurrent, and a measurement of their cost.
package struct Load {
    private let options: LoadOptions
    private let perform: @Sendable (_ url: String, _ body: inout LoadedBody) async throws -> Void

    /// Creates a load of requests.
    ///
    /// - Parameters:
    ///   - options: The number of requests, the concurrency and the URL.
    ///   - perform: Sends a request, and reads the complete response into the body; it throws for an unsuccessful
    ///     status.
    package init(
        _ options: LoadOptions,
        perform: @escaping @Sendable (_ url: String, _ body: inout LoadedBody) async throws -> Void
    ) {
        self.options = options
        self.perform = perform
    }

    /// Sends the requests, and prints their cost and their outcome as one line of JSON.
    ///
    /// - Parameter counts: Returns the client's own counts, by name.
    /// - Throws: An error of the JSON encoder.
    package func run(counts: () -> [String: Int] = { [:] }) async throws {
        _ = await requests(options.warmUp)
        let start = Usage.now
        let outcome = await requests(options.count)
        let spent = Usage.now.since(start)
        let report = Report(
            requests: options.count, seconds: spent.seconds, user: spent.user, system: spent.system, peak: Usage.peak,
            allocations: spent.allocations, bytes: outcome.bytes, wrong: outcome.wrong, lost: outcome.lost,
            counts: counts())
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    private func requests(_ count: Int) async -> Outcome {
        let next = Counter()
        let (options, urls, perform) = (options, options.urls, perform)
        return await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<min(options.concurrency, count) {
                group.addTask {
                    var outcome = Outcome()
                    while let index = next.take(below: count) {
                        let url = urls[index % urls.count] + (options.numbered ? "\(index)" : "")
                        var body = LoadedBody(expecting: options.numbered ? Array(path(of: url).utf8) : nil)
                        do {
                            try await perform(url, &body)
                            outcome.add(body)
                        } catch {
                            outcome.add(error)
                        }
                    }
                    return outcome
                }
            }
            var total = Outcome()
            // A loop avoids reduce, which Swift 6.3 optimizes into code that reads wrong keys.
            for await outcome in group { total.add(outcome) }
            return total
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

/// The path of a URL with a path.
private func path(of url: String) -> String {
    "/" + url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true).dropFirst(2).joined()
}

/// The outcome of some requests.
private struct Outcome {
    /// The number of body bytes sent or received.
    var bytes = 0
    /// The number of complete responses with another body than the expected one.
    var wrong = 0
    /// The numbers of requests without a complete response, by error.
    var lost: [String: Int] = [:]

    mutating func add(_ body: LoadedBody) {
        bytes += body.count
        wrong += body.isWrong ? 1 : 0
    }

    mutating func add(_ error: any Error) {
        // The errors of streams contain their numbers.
        let text = "\(error)".prefix { !$0.isNewline }.replacing(/[0-9]+/) { _ in "N" }
        lost[String(text.prefix(200)), default: 0] += 1
    }

    mutating func add(_ other: Outcome) {
        bytes += other.bytes
        wrong += other.wrong
        lost.merge(other.lost, uniquingKeysWith: +)
    }
}

/// The printed line.
private struct Report: Encodable {
    let requests: Int
    let seconds: Double
    let user: Double
    let system: Double
    let peak: Int
    let allocations: Int
    let bytes: Int
    let wrong: Int
    let lost: [String: Int]
    let counts: [String: Int]
}
