// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Secrets
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Asks the agent at a socket to hold, hand out and forget the keys of keychains.
///
/// Where no agent is running, the functions throw no error, and their results say so.
public struct KeychainAgentClient: Sendable {
    /// The path of the agent's socket.
    public let socket: String

    /// Makes a client of the agent at a socket; no connection is made yet.
    ///
    /// - Parameter socket: An absolute path, such as ``KeychainAgent/defaultSocket(_:)`` gives.
    public init(socket: String) { self.socket = socket }

    /// Gives keys to the running agent to hold, in place of those that it held for this keychain.
    ///
    /// - Parameters:
    ///   - keys: The keys of an unlocked keychain.
    ///   - keychain: The keychain.
    ///   - lifetime: How long the agent holds the keys.
    /// - Returns: Whether an agent is running and took them.
    /// - Throws: ``KeychainAgentError/full(limit:)``, ``KeychainAgentError/noAnswer(path:)`` and other ``KeychainAgentError``.
    public func hold(
        _ keys: AgentKeys, for keychain: KeychainID, lifetime: AgentLifetime = AgentLifetime()
    ) throws(KeychainAgentError) -> Bool {
        switch try ask(.hold(keychain, keys, lifetime)) {
        case nil: false
        case .done?: true
        case .full?: throw .full(limit: AgentState.mostKeychains)
        default: throw .otherVersion
        }
    }

    /// Asks for the keys that the agent holds for a keychain.
    ///
    /// The request restarts the keychain's ``AgentLifetime/idleTimeout``.
    ///
    /// - Parameter keychain: The keychain.
    /// - Returns: The keys; `nil` where the keychain is locked or no agent is running.
    /// - Throws: ``KeychainAgentError/noAnswer(path:)`` and other ``KeychainAgentError``.
    public func keys(for keychain: KeychainID) throws(KeychainAgentError) -> AgentKeys? {
        guard let response = try ask(.fetch(keychain)) else { return nil }
        guard case .keys(let keys) = response else { throw .otherVersion }
        return keys
    }

    /// Makes the agent forget the keys of a keychain, or all keys for `nil`.
    ///
    /// An agent that holds no more keys ends.
    ///
    /// - Parameter keychain: The keychain; `nil` for every keychain.
    /// - Throws: ``KeychainAgentError/noAnswer(path:)`` and other ``KeychainAgentError``.
    public func lock(_ keychain: KeychainID?) throws(KeychainAgentError) {
        guard let response = try ask(.lock(keychain)) else { return }
        guard response == .done else { throw .otherVersion }
    }

    /// Asks for the keychains whose keys the agent holds, in no order; none where no agent is running.
    ///
    /// - Throws: ``KeychainAgentError/noAnswer(path:)`` and other ``KeychainAgentError``.
    public func status() throws(KeychainAgentError) -> [HeldKeychain] {
        guard let response = try ask(.status) else { return [] }
        guard case .status(let keychains) = response else { throw .otherVersion }
        return keychains
    }

    /// - Returns: `nil` where no agent is running.
    private func ask(_ request: AgentRequest) throws(KeychainAgentError) -> AgentResponse? {
        guard let connection = try connect() else { return nil }
        var message = request.encoded
        defer { message.erase() }
        guard connection.write(message), var answer = connection.read() else { throw .noAnswer(path: socket) }
        defer { answer.erase() }
        guard let response = AgentResponse(answer), response != .refused else { throw .otherVersion }
        return response
    }

    private func connect() throws(KeychainAgentError) -> UnixSocket? {
        let folder = String(socket[..<(socket.lastIndex(of: "/") ?? socket.startIndex)])
        guard try AgentFolder.check(folder) else { return nil }
        do throws(SystemError) {
            let connection = try UnixSocket()
            connection.setTimeout(seconds: 5)
            try connection.connect(to: socket)
            // The agent of another user would be handed the keys.
            if connection.peerUser == getuid() { return connection }
        } catch {
            switch error.code {
            case ENOENT, ECONNREFUSED: return nil
            case ENAMETOOLONG: throw .pathTooLong(path: socket, limit: UnixSocket.mostPathBytes)
            default: throw .cannotUse(path: socket, code: error.code)
            }
        }
        throw .notOwn(path: socket)
    }
}
