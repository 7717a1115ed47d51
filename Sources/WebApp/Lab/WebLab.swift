// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab

/// The lab's servers, which run in this program until they are stopped or it ends.
actor WebLab {
    private var running: Task<Lab, any Error>?

    /// The lab; `nil` where it does not run.
    var lab: Lab? {
        get async { try? await running?.value }
    }

    /// Starts the servers, unless they run.
    ///
    /// - Throws: What starting them throws.
    func start() async throws {
        let task = running ?? Task { try await Lab.start() }
        running = task
        do {
            _ = try await task.value
        } catch {
            running = nil
            throw error
        }
    }

    /// Stops the servers, where they run.
    func stop() async {
        let task = running
        running = nil
        try? await task?.value.stop()
    }
}
