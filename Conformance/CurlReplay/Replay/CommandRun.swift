// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Does what a command line of curl says, with our sessions.
struct CommandRun: Sendable {
    let test: CurlTest

    /// - Returns: What went wrong on the way, transfer by transfer, which may be what the test is about.
    func perform() async -> [String] {
        let command = CurlCommand(test.command) { Self.read($0) }
        let input = command.standardInputPath.flatMap(Self.read) ?? test.standardInput
        let isOneOfSeveral = command.operations.flatMap(\.expandedURLs).count > 1
        var sessions: [SessionPlan: Session] = [:]
        var errors: [String] = []
        for operation in command.operations {
            errors += operation.unsupported.map { ReplayError.unsupported($0).description }
            let planner = OperationPlanner(
                operation: operation, test: test, isOneOfSeveral: isOneOfSeveral,
                read: Self.read)
            let requests = RequestPlanner(planner: planner, standardInput: input)
            for (index, written) in operation.expandedURLs.enumerated() {
                do {
                    let url = try CurlURL(written)
                    let plan = try planner.plan(for: url)
                    let upload = operation.uploads.indices.contains(index) ? operation.uploads[index] : nil
                    let request = try requests.request(for: url, upload: upload, netrc: plan.netrc)
                    let session = sessions[plan] ?? plan.makeSession()
                    sessions[plan] = session
                    let response = try await session.send(request)
                    for try await _ in response.body {}
                } catch {
                    errors.append("\(error)")
                }
            }
        }
        for session in sessions.values { await session.close() }
        return errors
    }

    @Sendable private static func read(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map(Array.init)
    }
}
