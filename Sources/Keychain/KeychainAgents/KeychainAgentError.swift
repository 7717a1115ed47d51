// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
internal import PrivateFiles

/// An error in the communication with an agent.
@nonexhaustive
public enum KeychainAgentError: Error, Hashable, Sendable {
    /// Another user owns the agent or the socket's folder, or has access to that folder.
    case notOwnedByUser(path: String)
    /// The socket's path is longer than the system's limit in bytes.
    case pathTooLong(path: String, limit: Int)
    /// The system refused the socket, its folder or the program; the code is an `errno`.
    case cannotUse(path: String, code: Int32)
    /// The URL does not name a file on this machine; holds the URL without user, password and query.
    case notAFile(url: String)
    /// The agent ended or did not respond in time.
    case noAnswer(path: String)
    /// The program that was started as an agent did not respond within five seconds.
    case didNotStart(program: String)
    /// The agent already holds the keys of the maximum number of keychains.
    case full(limit: Int)
    /// The agent is of another version of this software.
    case otherVersion
}

extension KeychainAgentError: CataloguedError {
    /// The error's code, message, reason and advice.
    public var explanation: ErrorExplanation {
        switch self {
        case .notOwnedByUser(let path):
            ErrorExplanation(
                "keychain.agent-not-own", "The folder of the agent's socket, \(path.printable), is not yours alone.",
                reason: "Another user could impersonate the agent, and receive the keychain's keys.",
                advice: "Make yourself its owner and close it to others (chmod 700), or name another folder.")
        case .pathTooLong(let path, let limit):
            ErrorExplanation(
                "keychain.agent-path-too-long", "The path of the agent's socket, \(path.printable), is too long.",
                reason: "The system allows \(limit) bytes.",
                advice: "Set XDG_RUNTIME_DIR to a folder with a shorter path.")
        case .cannotUse(let path, let code):
            ErrorExplanation(
                "keychain.agent-cannot-use",
                "The agent's socket, \(path.printable), cannot be used: \(systemErrorText(code)).", systemCode: code,
                reason: "The agent keeps an unlocked keychain's keys, and programs ask for them over this socket.",
                advice: "Check the folder's permissions, or name another folder in XDG_RUNTIME_DIR.")
        case .notAFile(let url): .notAFile("keychain.agent-not-a-file", url)
        case .noAnswer(let path):
            ErrorExplanation(
                "keychain.agent-no-answer", "The agent at \(path.printable) did not answer.",
                reason: "It ended, or it is stopped. An agent that ends forgets its keys.",
                advice: "Unlock the keychain again.")
        case .didNotStart(let program):
            ErrorExplanation(
                "keychain.agent-did-not-start",
                "The agent did not start: \(program.printable) was not ready within 5 seconds.",
                reason: "The program cannot be run, or it cannot make its socket.",
                advice: "Start it by hand in another window to see its messages.")
        case .full(let limit):
            ErrorExplanation(
                "keychain.agent-full", "The agent already holds the keys of \(limit) keychains.",
                reason: "The number is limited, so that its memory is bounded.",
                advice: "Lock a keychain that is not needed.")
        case .otherVersion:
            ErrorExplanation(
                "keychain.agent-other-version", "The agent is of another version of this software.",
                reason: "It did not understand the request, or its answer was not understood.",
                advice: "Lock all keychains, which ends the agent, and unlock the keychain again.")
        }
    }

    package static var examples: [KeychainAgentError] {
        let path = "/run/user/1000/keys/agent.socket"
        return [
            .notOwnedByUser(path: "/tmp/keys-1000"), .pathTooLong(path: path, limit: 107),
            .cannotUse(path: path, code: 13), .notAFile(url: "https://a.example/agent.socket"), .noAnswer(path: path),
            .didNotStart(program: "/usr/bin/agent"), .full(limit: 64), .otherVersion,
        ]
    }
}

extension KeychainAgentError: PrivateFileFailure {
    static func exposed(_ path: String) -> Self { .notOwnedByUser(path: path) }
    static func refused(_ path: String, code: Int32) -> Self { .cannotUse(path: path, code: code) }
    static func notAFile(_ url: String) -> Self { .notAFile(url: url) }
}
