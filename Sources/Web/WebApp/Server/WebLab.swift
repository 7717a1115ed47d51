// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import CommandSupport
import LabTour
import NIOConcurrencyHelpers

/// The lab servers, which run in this program until they are stopped or the program ends.
actor WebLab {
    private var running: Task<Lab, any Error>?
    /// The last graded client, which is retained after the servers are stopped.
    private(set) var grading: Grading?

    /// The lab; `nil` if it is not running.
    var lab: Lab? {
        get async { try? await running?.value }
    }

    /// Starts the servers, unless they are running.
    ///
    /// - Returns: The lab.
    /// - Throws: An error if the servers cannot be started.
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

    /// Stops the servers, if they are running.
    func stop() async {
        let task = running
        running = nil
        await stopGrading()
        try? await task?.value.stop()
    }

    /// Starts to grade a client, and ends an earlier grading.
    ///
    /// - Parameter template: The client; `nil` for a session of this program.
    /// - Throws: An error if the servers are not running and cannot be started.
    func grade(_ template: ClientTemplate?) async throws {
        // Repeats the start if the servers were stopped, or another grading was started, during a wait.
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
        // The check is repeated after each wait, because another request may have started a grading.
        while let grading, grading.snapshot.isRunning { await grading.stop() }
        grading?.observers.end()
    }
}

/// A client that is run against the lab servers, and the rows of its table.
final class Grading: Sendable {
    /// The state of a grading at one moment.
    struct Snapshot: Sendable {
        fileprivate(set) var rows: [TourRow] = []
        fileprivate(set) var isRunning = true
        /// The reason why the grading ended before the last row; `nil` if the user stopped it.
        fileprivate(set) var failure: Failure?
        /// Whether the user stopped the grading before the last row.
        fileprivate(set) var isStopped = false
    }

    /// The timeout for one run of another client.
    private static let limit = Duration.seconds(10)

    /// The client; `nil` for a session of this program.
    let template: ClientTemplate?
    let rowCount: Int
    let observers = ChangeObservers()
    private let state = NIOLockedValueBox(Snapshot())
    private let task = NIOLockedValueBox<Task<Void, Never>?>(nil)

    /// Starts to run the client.
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

    /// Stops the grading, and waits for its end.
    func stop() async {
        let task = task.withLockedValue { $0 }
        task?.cancel()
        await task?.value
    }

    private func change(_ body: (inout Snapshot) -> Void) {
        state.withLockedValue(body)
        observers.notify()
    }
}
