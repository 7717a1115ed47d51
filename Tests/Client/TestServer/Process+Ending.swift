// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Foundation

extension Process {
    /// Starts the program and waits for its end without holding a thread, of which all tests together have as many as the machine has cores.
    ///
    /// - Returns: Its status; 128 and the signal's number where a signal ended it.
    /// - Throws: Where it cannot be started.
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
