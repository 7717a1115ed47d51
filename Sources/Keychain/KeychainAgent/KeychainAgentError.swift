// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why an agent could not be reached, or did not take keys.
@nonexhaustive
public enum KeychainAgentError: Error, Hashable, Sendable {
    /// Another user owns the socket's folder or the agent, or may enter the folder.
    case notOwn(path: String)
    /// The socket's path is longer than the limit of the system, which is in bytes.
    case pathTooLong(path: String, limit: Int)
    /// The system refused the socket, its folder or the program; the code is an `errno`.
    case cannotUse(path: String, code: Int32)
    /// The agent ended or did not answer in time.
    case noAnswer(path: String)
    /// The program that was started as an agent did not answer within five seconds.
    case didNotStart(program: String)
    /// The agent holds the keys of as many keychains as its limit.
    case full(limit: Int)
    /// The agent is of another version of this software.
    case otherVersion
}
