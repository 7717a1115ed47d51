// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CSystemCalls
public import EssentialFoundation
internal import POSIX
internal import PrivateFiles
internal import Secrets

/// A process that holds the keys of unlocked keychains, and provides them to programs of the same user over a socket.
///
/// The keys are only in the agent's memory. The socket is in a folder that only its user may enter, and the agent asks
/// the system for each client's user. Any program of that user can get the keys while a keychain is unlocked.
public enum KeychainAgent {
    /// The time after which an agent ends if it has received no keys.
    private static let firstKeysTimeout = Duration.seconds(10)

    /// Returns the default socket of a user's agent: in `XDG_RUNTIME_DIR`, else in a folder with the user's number in
    /// `/tmp`.
    ///
    /// - Parameter environment: The environment of the process.
    /// - Returns: A file URL.
    public static func defaultSocket(_ environment: [String: String]) -> URL {
        // The XDG Base Directory Specification requires that relative paths are ignored.
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 + "/countersign" : nil }
        let folder = runtime ?? "/tmp/countersign-\(getuid())"
        return URL(filePath: folder + "/agent.socket", directoryHint: .notDirectory)
    }

    /// Prevents core dumps of the calling process, and prevents the user's other programs from reading its memory.
    ///
    /// On Linux this uses `PR_SET_DUMPABLE`, on macOS `PT_DENY_ATTACH`; on both, the size limit of core files becomes
    /// zero.
    public static func protectMemory() {
        _ = process_refuse_inspection()
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_CORE, &limit)
        #endif
    }

    /// Serves a socket until the agent holds no more keys; intended for a separate process.
    ///
    /// This function blocks the calling thread. It returns immediately if another agent serves the socket, and after
    /// ten seconds if no client provides keys.
    ///
    /// - Parameter socket: The socket's file URL; its folder is created if it is missing.
    /// - Throws: ``KeychainAgentError/notOwnedByUser(path:)``, ``KeychainAgentError/pathTooLong(path:limit:)`` and
    ///   ``KeychainAgentError/cannotUse(path:code:)`` if the socket cannot be created, and
    ///   ``KeychainAgentError/notAFile(url:)``.
    public static func serve(socket: URL) throws(KeychainAgentError) {
        let path = try PrivateFile<KeychainAgentError>.path(of: socket)
        let folder = PrivateFile<KeychainAgentError>.folder(of: path)
        try PrivateFile<KeychainAgentError>.create(folder: folder)
        try PrivateFile<KeychainAgentError>.check(folder: folder)
        guard let lock = try PrivateFile<KeychainAgentError>.lock(beside: path) else { return }
        defer { withExtendedLifetime(lock) { _ = unlink(path) } }
        let listener = try listen(at: path)
        var state = AgentState()
        var hasHeldKeys = false
        let firstKeysDeadline = ContinuousClock.now + firstKeysTimeout
        while true {
            let end = hasHeldKeys ? state.nextEnd : firstKeysDeadline
            if isReadable(listener, until: end) { serveClient(of: listener, &state) }
            state.expire(at: .now)
            hasHeldKeys = hasHeldKeys || !state.isEmpty
            guard state.isEmpty, hasHeldKeys || .now >= firstKeysDeadline else { continue }
            // Clients that have already connected get a response before the agent ends.
            if !isReadable(listener, until: .now) { return }
        }
    }

    private static func listen(at path: String) throws(KeychainAgentError) -> UnixSocket {
        // This agent has the lock, so any existing socket file belongs to an agent that was killed.
        unlink(path)
        do throws(SystemError) {
            let listener = try UnixSocket()
            try listener.bind(to: path)
            return listener
        } catch {
            throw error.code == ENAMETOOLONG
                ? .pathTooLong(path: path, limit: UnixSocket.maximumPathLength)
                : .cannotUse(path: path, code: error.code)
        }
    }

    /// Waits until a client connects or the time is reached, and returns whether a client connected.
    private static func isReadable(_ socket: borrowing UnixSocket, until end: ContinuousClock.Instant?) -> Bool {
        // The clock of poll may stop while the machine sleeps, so each wait is at most a minute.
        let seconds = min(60, max(0, end.map { (ContinuousClock.now.duration(to: $0)) / .seconds(1) } ?? 60))
        var descriptor = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, Int32(seconds * 1000) + 1) > 0
    }

    /// Handles one request; a client that takes more than a second to send it gets no response.
    private static func serveClient(of listener: borrowing UnixSocket, _ state: inout AgentState) {
        let client: UnixSocket
        do throws(SystemError) {
            client = try listener.accept()
        } catch {
            // The process may be out of descriptors. The client stays in the queue, so the next poll would return at
            // once.
            usleep(50_000)
            return
        }
        guard client.peerUser == getuid() else { return }
        client.setTimeout(seconds: 1)
        guard var message = client.read(until: .now + .seconds(1)) else { return }
        var answer = (AgentRequest(message).map { state.answer($0, at: .now) } ?? .refused).encoded
        _ = client.write(answer)
        message.erase()
        answer.erase()
    }
}
