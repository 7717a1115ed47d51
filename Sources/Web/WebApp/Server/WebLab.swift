// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import CommandSupport
import LabTour
import NIOConcurrencyHelpers

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

/// A client that is run against the lab's servers, and the rows of its table until now.
final class Grading: Sendable {
    /// What is known at one instant.
    struct Snapshot: Sendable {
        fileprivate(set) var rows: [TourRow] = []
        fileprivate(set) var isRunning = true
        /// Why it ended before the last row; `nil` where it was stopped too.
        fileprivate(set) var failure: Failure?
        /// Whether a person stopped it before the last row.
        fileprivate(set) var isStopped = false
    }

    /// What one run of another client may take.
    private static let limit = Duration.seconds(10)

    /// `nil` for a session of this program.
    let template: ClientTemplate?
    let rowCount: Int
    let watchers = Watchers()
    private let state = NIOLockedValueBox(Snapshot())
    private let task = NIOLockedValueBox<Task<Void, Never>?>(nil)

    /// Begins to run the client.
    init(_ template: ClientTemplate?, against lab: Lab) {
        self.template = template
        let stops = TourStop.all(of: lab)
        rowCount = stops.count
        let tour = Tour(template.map { .program($0, limit: Self.limit) } ?? .session)
        let work = Task { [self] in
            var (failure, isStopped) = (Failure?.none, false)
            do {
                try await tour.visit(stops, of: lab) { row in change { $0.rows.append(row) } }
            } catch {
                isStopped = Task.isCancelled
                failure = isStopped ? nil : Failure(error)
            }
            change { [failure, isStopped] in
                ($0.isRunning, $0.failure, $0.isStopped) = (false, failure, isStopped)
            }
        }
        task.withLockedValue { $0 = work }
    }

    var snapshot: Snapshot { state.withLockedValue { $0 } }

    /// Stops it, and returns when it has ended.
    func stop() async {
        let task = task.withLockedValue { $0 }
        task?.cancel()
        await task?.value
    }

    private func change(_ body: (inout Snapshot) -> Void) {
        state.withLockedValue(body)
        watchers.tell()
    }
}
