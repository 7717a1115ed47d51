// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// One way to do the work, measured in turns with the others.
package struct Contender {
    package let name: String
    /// Does the work so many times; returns the nanoseconds of processor time that it took.
    package let run: (Int) async throws -> Int

    package init(_ name: String, run: @escaping (Int) async throws -> Int) {
        self.name = name
        self.run = run
    }

    package init(_ name: String, once body: @escaping () async throws -> Void) {
        self.init(name) { count in try await ProcessorTime.measure(count, body) }
    }

    /// For work of less than some microseconds, which a suspension point each time would make longer.
    package static func brief(_ name: String, once body: @escaping () throws -> Void) -> Self {
        Self(name) { count in
            let start = ProcessorTime.now
            for _ in 0..<count { try body() }
            return ProcessorTime.now - start
        }
    }
}
