// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Countersign

/// Runs random requests for a while: valid requests, faulty servers, challenges, uploads, redirects and cancellations.
///
/// The sanitizers run it (scripts/check/sanitize). It fails if a result is
/// unexpected, or if connections, tasks or other resources remain at the end.
@main
struct MixedLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mixed-load",
        abstract: "Load sessions with all kinds of requests and failures, and count the remaining resources.",
        discussion: "Example: mixed-load --seconds 60 --seed 7")

    @Option(help: "The duration in seconds.")
    var seconds = 60

    @Option(help: "The number of concurrent tasks.")
    var tasks = 24

    @Option(help: "The seed of the random choices.")
    var seed: UInt64 = 1

    func run() async throws {
        let scene = try await LoadScene.start()
        let (tally, parts) = (Tally(), CountedParts.Count())
        try await scene.warmUp()
        let descriptors = OpenFiles.count
        print("seed \(seed), \(tasks) tasks, \(seconds) s, \(descriptors) open files")
        let sessions = try scene.sessions()
        let heartbeats = scene.stalls.heartbeats()
        await load(sessions, scene, tally, parts)
        for heartbeat in heartbeats {
            heartbeat.cancel()
            await heartbeat.value
        }
        for session in sessions.all { await session.close() }
        let remains = await RemainingResources.count(scene, tally, parts, openFilesBefore: descriptors)
        tally.lines.forEach { print($0) }
        print(remains)
        scene.openConnections.forEach { print("\($0.count)\topen at \($0.name)") }
        try await scene.stop()
        guard remains.isEmpty, tally.unexpectedOutcomes.isEmpty else { throw ExitCode.failure }
    }

    private func load(_ sessions: LoadSessions, _ scene: LoadScene, _ tally: Tally, _ parts: CountedParts.Count) async {
        let deadline = ContinuousClock.now + .seconds(seconds)
        await withDiscardingTaskGroup { group in
            for number in 0..<tasks {
                group.addTask {
                    var worker = Worker(
                        scene: scene, sessions: sessions, tally: tally, parts: parts, seed: seed &+ UInt64(number))
                    while ContinuousClock.now < deadline { await worker.turn() }
                }
            }
        }
    }
}
