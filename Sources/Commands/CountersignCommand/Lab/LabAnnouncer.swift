// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import CommandSupport
import Countersign
import Dispatch
import EssentialFoundation
import NIOConcurrencyHelpers
import POSIX

/// Announces the servers of a lab on the network, by a program that runs until it is stopped.
final class LabAnnouncer: Sendable {
    /// A server under the name that the program has established for it.
    struct Announced: Sendable {
        let port: Int
        let name: String
    }

    private struct State {
        var announced: [Announced] = []
        /// `nil` once the program has ended, when its number may belong to another one.
        var process: pid_t?
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    }

    /// What the program is given.
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

    /// What the program prints.
    private struct Event: Decodable {
        let event: String
        let name: String?
        let port: Int?
    }

    /// How many servers are announced.
    let count: Int
    private let state: NIOLockedValueBox<State>

    /// Starts to announce; the proxies are left out, because they are no web sites and listen on loopback.
    ///
    /// - Parameters:
    ///   - servers: Those of the lab.
    ///   - program: The path of `countersign-discover`.
    /// - Throws: `FileError`.
    init(_ servers: [LabServer], program: String) throws {
        let lines = try servers.filter { !$0.kind.isProxy }.map { try JSONEncoder().encode(Announcement($0)) }
        let child = try ChildProgram([program, "--announce-input", "--json"])
        count = lines.count
        state = NIOLockedValueBox(State(process: child.processNumber))
        nonisolated(unsafe) let started = child
        // A separate queue, because reading blocks; it alone uses the program from here on.
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
                // The program has ended, and has said why.
            }
            let waiting = state.withLockedValue { state in
                state.process = nil
                return state.waitingForEnd
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// Those whose names are established.
    var announced: [Announced] { state.withLockedValue { $0.announced } }

    var hasEnded: Bool { state.withLockedValue { $0.process == nil } }

    /// Ends the announcements, and waits for the program's goodbye.
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

    /// The name that a server is announced under, unless another computer has it.
    static func name(of server: LabServer) -> String { "Lab " + server.name }

    /// The type of the service that a server is (RFC 6763 section 7).
    static func type(of server: LabServer) -> String { server.isSecure ? "_https._tcp" : "_http._tcp" }
}
