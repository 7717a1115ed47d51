// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CSystemCalls
public import EssentialFoundation
internal import POSIX
internal import PrivateFiles
internal import Secrets

/// A client of an agent, which holds, provides and forgets the keys of keychains.
///
/// If no agent is running, the functions do not throw; their results show it.
public struct KeychainAgentClient: Sendable {
    /// The file URL of the agent's socket.
    public let socket: URL

    /// Creates a client for the agent at a socket, without connecting.
    ///
    /// - Parameter socket: A file URL, such as the result of ``KeychainAgent/defaultSocket(_:)``; the functions throw
    ///   ``KeychainAgentError/notAFile(url:)`` for any other URL.
    public init(socket: URL) { self.socket = socket }

    /// Passes keys to the running agent, in place of those that it holds for this keychain.
    ///
    /// - Parameters:
    ///   - keys: The keys of an unlocked keychain.
    ///   - keychain: The keychain.
    ///   - lifetime: The periods for which the agent holds the keys.
    /// - Returns: Whether an agent is running and holds the keys.
    /// - Throws: ``KeychainAgentError/full(limit:)``, ``KeychainAgentError/noAnswer(path:)`` and other
    ///   ``KeychainAgentError``.
    public func hold(
        _ keys: AgentKeys, for keychain: KeychainID, lifetime: AgentLifetime = AgentLifetime()
    ) throws(KeychainAgentError) -> Bool {
        switch try ask(.hold(keychain, keys, lifetime)) {
        case nil: false
        case .done?: true
        case .full?: throw .full(limit: AgentState.maximumKeychainCount)
        default: throw .otherVersion
        }
    }

    /// Requests the keys that the agent holds for a keychain.
    ///
    /// The request restarts the keychain's ``AgentLifetime/idleTimeout``.
    ///
    /// - Parameter keychain: The keychain.
    /// - Returns: The keys; `nil` if the keychain is locked or no agent is running.
    /// - Throws: ``KeychainAgentError/noAnswer(path:)`` and other ``KeychainAgentError``.
    public func keys(for keychain: KeychainID) throws(KeychainAgentError) -> AgentKeys? {
        guard let response = try ask(.fetch(keychain)) else { return nil }
        guard case .keys(let keys) = response else { throw .otherVersion }
        return keys
    }

    /// Removes the keys of a keychain, or all keys, from the agent.
    ///
    /// An agent without keys ends.
    ///
    /// - Parameter keychain: The keychain; `nil` for every keychain.
    /// - Throws: ``KeychainAgentError/noAnswer(path:)`` and other ``KeychainAgentError``.
    public func lock(_ keychain: KeychainID?) throws(KeychainAgentError) {
        guard let response = try ask(.lock(keychain)) else { return }
        guard response == .done else { throw .otherVersion }
    }

    /// Returns the keychains whose keys the agent holds, in no particular order; none if no agent is running.
    ///
    /// - Throws: ``KeychainAgentError/noAnswer(path:)`` and other ``KeychainAgentError``.
    public func status() throws(KeychainAgentError) -> [HeldKeychain] {
        guard let response = try ask(.status) else { return [] }
        guard case .status(let keychains) = response else { throw .otherVersion }
        return keychains
    }

    /// - Returns: The response; `nil` if no agent is running.
    private func ask(_ request: AgentRequest) throws(KeychainAgentError) -> AgentResponse? {
        guard let connection = try connect() else { return nil }
        var message = request.encoded
        defer { message.erase() }
        guard connection.write(message), var answer = connection.read() else { throw .noAnswer(path: socket.path) }
        defer { answer.erase() }
        guard let response = AgentResponse(answer), response != .refused else { throw .otherVersion }
        return response
    }

    private func connect() throws(KeychainAgentError) -> UnixSocket? {
        let path = try PrivateFile<KeychainAgentError>.path(of: socket)
        let folder = PrivateFile<KeychainAgentError>.folder(of: path)
        guard try PrivateFile<KeychainAgentError>.check(folder: folder) else { return nil }
        do throws(SystemError) {
            let connection = try UnixSocket()
            connection.setTimeout(seconds: 5)
            try connection.connect(to: path)
            // Keys must not be sent to the agent of another user.
            if connection.peerUser == getuid() { return connection }
        } catch {
            switch error.code {
            case ENOENT, ECONNREFUSED: return nil
            case ENAMETOOLONG: throw .pathTooLong(path: path, limit: UnixSocket.maximumPathLength)
            default: throw .cannotUse(path: path, code: error.code)
            }
        }
        throw .notOwnedByUser(path: path)
    }
}

extension KeychainAgentClient {
    /// Passes keys to the agent, and starts an agent if none is running.
    ///
    /// The agent outlives the caller and its terminal: it has a new session and none of the caller's standard streams.
    ///
    /// - Parameters:
    ///   - keys: The keys of an unlocked keychain.
    ///   - keychain: The keychain.
    ///   - lifetime: The periods for which the agent holds the keys.
    ///   - program: The path and arguments of a program that calls ``KeychainAgent/serve(socket:)`` for ``socket``; not
    ///     empty.
    /// - Throws: ``KeychainAgentError/didNotStart(program:)`` if the agent does not respond within five seconds,
    ///   ``KeychainAgentError/cannotUse(path:code:)`` if the program cannot be started, the errors of
    ///   ``hold(_:for:lifetime:)``, and `CancellationError`.
    public func hold(
        _ keys: AgentKeys, for keychain: KeychainID, lifetime: AgentLifetime = AgentLifetime(),
        startingAgentWith program: [String]
    ) async throws {
        let end = ContinuousClock.now + .seconds(5)
        var child: pid_t?
        while try !hold(keys, for: keychain, lifetime: lifetime) {
            // A started agent ends if another agent, itself about to end, still has the lock; so it is started again.
            if child.map({ kill($0, 0) != 0 }) ?? true { child = try DetachedProcess.start(program) }
            guard ContinuousClock.now < end else { throw KeychainAgentError.didNotStart(program: program[0]) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

}

/// A process that outlives its parent and the terminal, in a new session and without the parent's standard streams.
package enum DetachedProcess {
    /// Starts a program, which leaves no zombie process when it ends.
    ///
    /// - Parameter program: The path and arguments of the program.
    /// - Returns: The process ID.
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
