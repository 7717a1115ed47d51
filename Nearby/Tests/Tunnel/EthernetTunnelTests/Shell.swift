// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Glibc
import Synchronization
import Testing

/// Runs programs of the system.
enum Shell {
    struct Output {
        let status: Int32
        let text: String
    }

    /// Returns the path of a program, including folders that only root's PATH contains.
    static func path(of name: String) -> String? {
        ["/usr/bin", "/usr/sbin", "/bin", "/sbin"].map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program until it terminates; its standard output and error are combined.
    @discardableResult static func run(_ arguments: String...) async throws -> Output {
        try await run(arguments)
    }

    @discardableResult static func run(_ arguments: [String]) async throws -> Output {
        let running = try Running(arguments)
        return Output(status: await running.status(), text: running.text)
    }
}

/// A program that runs in the background; it is terminated with the last reference.
final class Running: Sendable {
    private struct State {
        var received: [UInt8] = []
        var lines: [String] = []
        var status: Int32?
        var isRead = false
    }

    let identifier: pid_t
    private let input: Int32
    private let state: Output

    /// The state that the reading and waiting threads update.
    private final class Output: Sendable {
        let state = Mutex(State())
    }

    /// - Parameter arguments: The program's name or path, and its arguments.
    /// - Throws: An error if the program does not exist.
    init(_ arguments: [String]) throws {
        let program = arguments[0].contains("/") ? arguments[0] : try #require(Shell.path(of: arguments[0]))
        var (toProgram, fromProgram): ([Int32], [Int32]) = ([0, 0], [0, 0])
        try #require(pipe(&toProgram) == 0 && pipe(&fromProgram) == 0)
        // No other program may inherit the pipes.
        for descriptor in toProgram + fromProgram { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toProgram[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromProgram[1], 1)
        posix_spawn_file_actions_adddup2(&actions, fromProgram[1], 2)
        // The threads of tests block signals, and child processes would inherit this.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        let values = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "SWIFT_BACKTRACE=enable=no"]
        var variables: [UnsafeMutablePointer<CChar>?] = values.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        var child = pid_t()
        let code = posix_spawn(&child, program, &actions, &attributes, &words, &variables)
        close(toProgram[0])
        close(fromProgram[1])
        #expect(code == 0, "\(program) cannot be started")
        (identifier, input) = (child, toProgram[1])
        let (state, descriptor) = (Output(), fromProgram[0])
        self.state = state
        Thread.detachNewThread {
            var bytes: [UInt8] = Array(repeating: 0, count: 65_536)
            while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
                state.state.withLock { state in
                    state.received += bytes[..<count]
                    state.lines = String(decoding: state.received, as: UTF8.self).split(separator: "\n").map(
                        String.init)
                }
            }
            close(descriptor)
            state.state.withLock { $0.isRead = true }
        }
        Thread.detachNewThread { [child] in
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            state.state.withLock { $0.status = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F }
        }
    }

    deinit {
        close(input)
        signal(SIGKILL)
    }

    var text: String { state.state.withLock { String(decoding: $0.received, as: UTF8.self) } }
    /// The number of lines.
    var count: Int { state.state.withLock { $0.lines.count } }

    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(input, bytes, bytes.count)
    }

    func signal(_ number: Int32) {
        // The ID of a terminated program may belong to another process.
        state.state.withLock { if $0.status == nil { kill(identifier, number) } }
    }

    /// Waits until the program has terminated.
    func status() async -> Int32 {
        while true {
            let (status, isRead) = state.state.withLock { ($0.status, $0.isRead) }
            // A child of the program may keep the pipe open.
            if let status {
                if !isRead { try? await Task.sleep(for: .milliseconds(20)) }
                return status
            }
            try? await Task.sleep(for: .milliseconds(3))
        }
    }

    /// Terminates the program and waits for it.
    func end(_ number: Int32 = SIGTERM) async {
        signal(number)
        _ = await status()
    }

    /// Waits for a line of the output.
    ///
    /// - Parameters:
    ///   - part: A text that the line contains.
    ///   - start: The index of the first line to check.
    ///   - limit: The timeout.
    ///   - sourceLocation: The location of the call in the test.
    /// - Returns: The line.
    /// - Throws: `CancellationError` if no such line appeared, after recording an issue.
    @discardableResult func line(
        with part: String, from start: Int = 0, within limit: Duration = .seconds(30),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let deadline = ContinuousClock.now + limit
        while true {
            // The deadline is read before the check: on a busy machine the task may sleep past it, although the line
            // arrived in time.
            let isLate = ContinuousClock.now >= deadline
            let found = state.state.withLock { $0.lines.dropFirst(start).first { $0.contains(part) } }
            if let found { return found }
            guard !isLate else { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("no line with \(part) in: \(text.suffix(1_500))", sourceLocation: sourceLocation)
        throw CancellationError()
    }
}
