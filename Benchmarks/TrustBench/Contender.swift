// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// One way to do the work, measured in turns with the others.
struct Contender {
    let name: String
    /// Does the work so many times; returns the nanoseconds of processor time that it took.
    let run: (Int) async throws -> Int

    init(_ name: String, run: @escaping (Int) async throws -> Int) {
        self.name = name
        self.run = run
    }

    init(_ name: String, once body: @escaping () async throws -> Void) {
        self.init(name) { count in try await ProcessorTime.measure(count, body) }
    }
}
