// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CSystemCalls
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension KeychainAgentClient {
    /// Gives keys to the agent to hold, and starts an agent where none is running.
    ///
    /// The agent outlives the caller and its terminal: it has a new session and none of the caller's standard streams.
    ///
    /// - Parameters:
    ///   - keys: The keys of an unlocked keychain.
    ///   - keychain: The keychain.
    ///   - lifetime: How long the agent holds them.
    ///   - program: The path and arguments of a program that calls ``KeychainAgent/serve(socket:)`` for ``socket``; not empty.
    /// - Throws: ``KeychainAgentError/didNotStart(program:)`` where the agent does not answer within five seconds,
    ///   ``KeychainAgentError/cannotUse(path:code:)`` where the program cannot be started, the errors of ``hold(_:for:lifetime:)``, and
    ///   `CancellationError`.
    public func hold(
        _ keys: AgentKeys, for keychain: KeychainID, lifetime: AgentLifetime = AgentLifetime(),
        startingAgentWith program: [String]
    ) async throws {
        let end = ContinuousClock.now + .seconds(5)
        var child: pid_t?
        while try !hold(keys, for: keychain, lifetime: lifetime) {
            // One that ended has met another agent that was about to end.
            if child.map({ kill($0, 0) != 0 }) ?? true { child = try DetachedProcess.start(program) }
            guard ContinuousClock.now < end else { throw KeychainAgentError.didNotStart(program: program[0]) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

}

/// A process that outlives its starter and its terminal: it has a new session and none of the starter's standard streams.
package enum DetachedProcess {
    /// Starts a program, which leaves nothing behind when it ends.
    ///
    /// - Parameter program: Its path and arguments.
    /// - Returns: Its process ID.
    /// - Throws: ``KeychainAgentError/cannotUse(path:code:)``.
    @discardableResult
    package static func start(_ program: [String]) throws(KeychainAgentError) -> Int32 {
        var child = pid_t()
        var arguments = program.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let code = process_start_detached(&child, program[0], &arguments, environ)
        guard code == 0 else { throw .cannotUse(path: program[0], code: code) }
        reap_process(child)
        return child
    }
}
