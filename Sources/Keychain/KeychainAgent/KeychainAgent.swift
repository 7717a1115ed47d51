// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CSystemCalls
internal import POSIX
internal import PrivateFiles
internal import Secrets

/// A process that holds the keys of unlocked keychains, and gives them to programs of its user over a socket.
///
/// The keys are only in its memory. The socket is in a folder that only its user may enter, and the agent asks the system for each client's
/// user. Any program of that user can get the keys while a keychain is unlocked.
public enum KeychainAgent {
    /// How long an agent waits for the first keys.
    private static let patience = Duration.seconds(10)

    /// Returns the usual path of a user's agent: in `XDG_RUNTIME_DIR`, else in a folder with the user's number in `/tmp`.
    ///
    /// - Parameter environment: The process's variables.
    /// - Returns: An absolute path.
    public static func defaultSocket(_ environment: [String: String]) -> String {
        // The XDG Base Directory Specification has relative paths ignored.
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 + "/countersign" : nil }
        return (runtime ?? "/tmp/countersign-\(getuid())") + "/agent.socket"
    }

    /// Prevents core dumps of the calling process, and other programs of the user from reading its memory.
    ///
    /// On Linux this is `PR_SET_DUMPABLE`, on macOS `PT_DENY_ATTACH`; on both, core files get a limit of zero bytes.
    public static func protectMemory() {
        _ = process_refuse_inspection()
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_CORE, &limit)
        #endif
    }

    /// Serves a socket until the agent holds no more keys; call it in a separate process.
    ///
    /// It blocks the calling thread. It returns at once where another agent serves the socket, and after ten seconds where no client
    /// brings keys.
    ///
    /// - Parameter path: The socket's absolute path; its folder is made where it is missing.
    /// - Throws: ``KeychainAgentError/notOwn(path:)``, ``KeychainAgentError/pathTooLong(path:limit:)`` and
    ///   ``KeychainAgentError/cannotUse(path:code:)`` where the socket cannot be made.
    public static func serve(socket path: String) throws(KeychainAgentError) {
        let folder = PrivateFile<KeychainAgentError>.folder(of: path)
        try PrivateFile<KeychainAgentError>.create(folder: folder)
        try PrivateFile<KeychainAgentError>.check(folder: folder)
        guard let lock = try PrivateFile<KeychainAgentError>.lock(beside: path) else { return }
        defer { withExtendedLifetime(lock) { _ = unlink(path) } }
        let listener = try listen(at: path)
        var state = AgentState()
        var hasHeldKeys = false
        let patienceEnd = ContinuousClock.now + patience
        while true {
            let end = hasHeldKeys ? state.nextEnd : patienceEnd
            if isReadable(listener, until: end) { serveClient(of: listener, &state) }
            state.expire(at: .now)
            hasHeldKeys = hasHeldKeys || !state.isEmpty
            guard state.isEmpty, hasHeldKeys || .now >= patienceEnd else { continue }
            // Who has connected by now gets an answer before the end.
            if !isReadable(listener, until: .now) { return }
        }
    }

    private static func listen(at path: String) throws(KeychainAgentError) -> UnixSocket {
        // What is left is of an agent that was killed: this one has the lock.
        unlink(path)
        do throws(SystemError) {
            let listener = try UnixSocket()
            try listener.bind(to: path)
            return listener
        } catch {
            throw error.code == ENAMETOOLONG
                ? .pathTooLong(path: path, limit: UnixSocket.mostPathBytes) : .cannotUse(path: path, code: error.code)
        }
    }

    /// Waits for a client or for the end, whichever is first.
    private static func isReadable(_ socket: borrowing UnixSocket, until end: ContinuousClock.Instant?) -> Bool {
        // A clock that stops while the machine sleeps is the system's here, so that it waits a minute at most.
        let seconds = min(60, max(0, end.map { (ContinuousClock.now.duration(to: $0)) / .seconds(1) } ?? 60))
        var descriptor = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, Int32(seconds * 1000) + 1) > 0
    }

    /// One request and its response; a client that takes more than a second for its request gets none.
    private static func serveClient(of listener: borrowing UnixSocket, _ state: inout AgentState) {
        let client: UnixSocket
        do throws(SystemError) {
            client = try listener.accept()
        } catch {
            // The client stays in the queue, so that the next wait ends at once: descriptors take their time to come back.
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
