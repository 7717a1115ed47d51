// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Foundation

extension Process {
    /// Starts the program and waits for its termination without blocking a thread.
    ///
    /// All tests share as many threads as the machine has cores.
    ///
    /// - Returns: The exit status, or 128 plus the signal's number if a signal terminated the program.
    /// - Throws: An error if the program cannot be started.
    package func end() async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            terminationHandler = { ended in
                let wasKilled = ended.terminationReason == .uncaughtSignal
                continuation.resume(returning: wasKilled ? 128 + ended.terminationStatus : ended.terminationStatus)
            }
            do {
                try run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
