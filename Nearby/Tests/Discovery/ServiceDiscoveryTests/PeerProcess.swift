// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

/// A program that runs in the background, with its output.
///
/// Foundation's `Process` would no longer notice terminations after a daemon has closed its inherited descriptors.
final class PeerProcess {
    private let process: pid_t
    private let output: String
    private let input: Int32
    private var hasEnded = false
    /// The exit status; 0 until the program has terminated.
    private(set) var status: Int32 = 0

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        output = FileManager.default.temporaryDirectory.path + "/peer-\(UInt64.random(in: .min ... .max))"
        var descriptors = [Int32](repeating: -1, count: 2)
        #expect(pipe(&descriptors) == 0)
        input = descriptors[1]
        // Another program that inherited the pipe would keep it open.
        _ = fcntl(input, F_SETFD, FD_CLOEXEC)
        defer { close(descriptors[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, descriptors[0], 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // The test's thread may block signals, which the program would inherit.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (words, settings) = (arguments.map { strdup($0) } + [nil], variables.map { strdup("\($0)=\($1)") } + [nil])
        defer { (words + settings).forEach { free($0) } }
        var process: pid_t = 0
        let status = posix_spawnp(&process, arguments[0], &actions, &attributes, words, settings)
        self.process = process
        try #require(status == 0, "\(arguments) cannot be started")
    }

    var text: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }

    /// Waits until the output contains a text the given number of times.
    ///
    /// The timeout is long enough for a busy machine.
    func waits(for part: String, seconds: Double = 30, times: Int = 1) async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        while true {
            // The deadline is read before the check: on a busy machine the task may sleep past it, although the text
            // arrived in time.
            let isLate = ContinuousClock.now >= end
            if text.components(separatedBy: part).count > times { return }
            guard !isLate else { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("\"\(part)\" is not \(times) times in:\n\(text)")
    }

    func write(_ line: String) { _ = (line + "\n").withCString { Foundation.write(input, $0, strlen($0)) } }

    func closeInput() { close(input) }

    /// Interrupts the program like Ctrl-C, and waits for it.
    func interrupt() {
        if !hasEnded { kill(process, SIGINT) }
        finish()
    }

    func end() {
        if !hasEnded { kill(process, SIGTERM) }
        finish()
        try? FileManager.default.removeItem(atPath: output)
    }

    /// Waits until the program has terminated, and kills it after fifteen seconds.
    @discardableResult
    func finish() -> String {
        let limit = ContinuousClock.now.advanced(by: .seconds(15))
        var termination: Int32 = 0
        while !hasEnded, waitpid(process, &termination, WNOHANG) == 0 {
            if ContinuousClock.now > limit { kill(process, SIGKILL) }
            usleep(10_000)
        }
        if !hasEnded { status = termination >> 8 & 0xFF }
        hasEnded = true
        return text
    }

    /// Runs a program until it terminates.
    @discardableResult
    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
        let process = try PeerProcess(arguments, environment: environment)
        defer { process.end() }
        process.closeInput()
        return process.finish()
    }
}
