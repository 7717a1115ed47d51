// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An implementation of the work that is compared with others.
package struct Contender {
    package let name: String
    /// Does the work a number of times, and returns the processor time in nanoseconds.
    package let run: (Int) async throws -> Int

    package init(_ name: String, run: @escaping (Int) async throws -> Int) {
        self.name = name
        self.run = run
    }

    package init(_ name: String, once body: @escaping () async throws -> Void) {
        self.init(name) { count in try await ProcessorTime.measure(count, body) }
    }

    /// Creates a contender whose work takes less than some microseconds, without the overhead of suspension points.
    package static func brief(_ name: String, once body: @escaping () throws -> Void) -> Self {
        Self(name) { count in
            let start = ProcessorTime.now
            for _ in 0..<count { try body() }
            return ProcessorTime.now - start
        }
    }
}
