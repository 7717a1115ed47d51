// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import LabTour

/// The lab's servers, which run in this program until they are stopped or it ends.
actor WebLab {
    private var running: Task<Lab, any Error>?
    /// The client that was graded last; kept when the servers are stopped.
    private(set) var grading: Grading?

    /// The lab; `nil` where it does not run.
    var lab: Lab? {
        get async { try? await running?.value }
    }

    /// Starts the servers, unless they run.
    ///
    /// - Returns: The lab.
    /// - Throws: What starting them throws.
    @discardableResult func start() async throws -> Lab {
        let task = running ?? Task { try await Lab.start() }
        running = task
        do {
            return try await task.value
        } catch {
            if running == task { running = nil }
            throw error
        }
    }

    /// Stops the servers, where they run.
    func stop() async {
        let task = running
        running = nil
        await stopGrading()
        try? await task?.value.stop()
    }

    /// Begins to grade a client, in the place of an earlier one.
    ///
    /// - Parameter template: The client; `nil` for a session of this program.
    /// - Throws: What starting the servers throws, where they do not run.
    func grade(_ template: ClientTemplate?) async throws {
        // Started again where the servers were stopped, or another grading was begun, during a wait.
        while true {
            let lab = try await start()
            let task = running
            await stopGrading()
            guard let task, running == task, grading?.snapshot.isRunning != true else { continue }
            grading = Grading(template, against: lab)
            return
        }
    }

    func stopGrading() async {
        // Looked for again after each wait, in which another request may have begun one.
        while let grading, grading.snapshot.isRunning { await grading.stop() }
        grading?.watchers.end()
    }
}
