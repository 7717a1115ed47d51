// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import CommandSupport
import Countersign
import Dispatch
import EssentialFoundation
import NIOConcurrencyHelpers
import POSIX

/// Announces the lab servers on the network with a program that runs until it is stopped.
final class LabAnnouncer: Sendable {
    /// A lab server with the service name under which it was announced.
    struct Announced: Sendable {
        let port: Int
        let name: String
    }

    private struct State {
        var announced: [Announced] = []
        /// The process ID; `nil` after the program has exited, because the ID may then belong to another process.
        var process: pid_t?
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    }

    /// An announcement, as the program reads it.
    private struct Announcement: Encodable {
        let name: String
        let type: String
        let port: Int
        let txt: [String: String]

        init(_ server: LabServer) {
            name = LabAnnouncer.name(of: server)
            type = LabAnnouncer.type(of: server)
            port = server.port
            txt = ["path": server.path]
        }
    }

    /// An event, as the program prints it.
    private struct Event: Decodable {
        let event: String
        let name: String?
        let port: Int?
    }

    /// The number of servers to announce.
    let count: Int
    private let state: NIOLockedValueBox<State>

    /// Starts the announcements, except for the proxies, which are not web sites and listen on loopback.
    ///
    /// - Parameters:
    ///   - servers: The servers of the lab.
    ///   - program: The path of `countersign-discover`.
    /// - Throws: `FileError`.
    init(_ servers: [LabServer], program: String) throws {
        let lines = try servers.filter { !$0.kind.isProxy }.map { try JSONEncoder().encode(Announcement($0)) }
        let child = try ChildProgram([program, "--announce-input", "--json"])
        count = lines.count
        state = NIOLockedValueBox(State(process: child.processNumber))
        nonisolated(unsafe) let started = child
        // A separate queue, because reading blocks; from here on, only this queue uses the program.
        DispatchQueue(label: "lab.announcer").async { [state] in
            do throws(FileError) {
                for line in lines { try started.send(Array(line)) }
                while let line = try started.nextLine() {
                    guard let event = try? JSONDecoder().decode(Event.self, from: Data(line)),
                        event.event == "announced", let name = event.name, let port = event.port
                    else { continue }
                    state.withLockedValue { $0.announced.append(Announced(port: port, name: name)) }
                }
            } catch {
                // The program has exited, and has printed the reason.
            }
            let waiting = state.withLockedValue { state in
                state.process = nil
                return state.waitingForEnd
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// The servers whose names are established.
    var announced: [Announced] { state.withLockedValue { $0.announced } }

    var hasEnded: Bool { state.withLockedValue { $0.process == nil } }

    /// Ends the announcements, and waits until the program has withdrawn them.
    func stop() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLockedValue { state in
                guard let process = state.process else { return true }
                state.waitingForEnd.append(continuation)
                kill(process, SIGTERM)
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Returns the name under which a server is announced, unless another computer uses it.
    static func name(of server: LabServer) -> String { "Lab " + server.name }

    /// Returns the service type of a server (RFC 6763 section 7).
    static func type(of server: LabServer) -> String { server.isSecure ? "_https._tcp" : "_http._tcp" }
}
