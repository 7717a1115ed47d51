// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ChallengeLab
import CommandSupport

/// A client that gets what each server of a lab presents, and is graded by what the lab expects.
package struct Tour: Sendable {
    /// Which client.
    package enum Client: Sendable {
        /// A session of this program, which has and is told what each server needs.
        case session
        /// Another client, started once for each server, which may take so long.
        case program(ClientTemplate, limit: Duration)
    }

    private let client: Client

    package init(_ client: Client) { self.client = client }

    /// Visits one stop after the other.
    ///
    /// - Parameters:
    ///   - stops: What to get.
    ///   - lab: The lab that they are of.
    ///   - onRow: Is given each row as soon as it is known.
    /// - Throws: `FileError` where the other client cannot be started, and `CancellationError`.
    package func visit(
        _ stops: [TourStop], of lab: Lab, onRow: (TourRow) async -> Void
    ) async throws {
        switch client {
        case .session:
            for stop in stops {
                let row = await stop.visit(lab)
                // One that was stopped says nothing of the client.
                try Task.checkCancellation()
                await onRow(row)
            }
        case .program(let template, let limit):
            let folder = try PrivateFolder(prefix: "countersign-lab-")
            defer { folder.remove() }
            _ = try lab.writeFiles(to: folder.path)
            let tour = ClientTour(template: template, lab: lab, folder: folder.path, limit: limit)
            for stop in stops { await onRow(try await tour.visit(stop)) }
        }
    }
}
