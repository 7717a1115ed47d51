// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import Foundation
import Synchronization

/// A network of namespaces with the servers of many sites: the parents' (also the root), two servers of the sites, a
/// resolver, and a client.
final class Network: Sendable {
    /// The software of the sites' second server.
    enum Second: String, CaseIterable {
        case named, nsd, knotd
    }

    enum Place: String, CaseIterable {
        case parent, first, second, resolver, client

        var address: String {
            switch self {
            case .parent: "10.53.0.1"
            case .first: "10.53.0.2"
            case .second: "10.53.0.3"
            case .resolver: "10.53.0.4"
            case .client: "10.53.0.5"
            }
        }
    }

    /// Another address of the parent's server.
    private static let otherParent = "10.53.0.6"

    static let needs = ["ip", "named", "dig", "named-checkconf"]
    static var isPossible: Bool { geteuid() == 0 && needs.allSatisfy { Program.path(of: $0) != nil } }

    private let prefix: String
    let folder: URL
    private let servers = Mutex<[Process]>([])
    private static let count = Mutex(0)

    init(_ sites: [Site], second: Second = .named) throws {
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        prefix = "rev\(getpid())-\(number)-"
        folder = FileManager.default.temporaryDirectory.appending(path: "network-\(prefix)")
        do {
            try makeNamespaces()
            try writeParent(sites)
            try writeServer(.first, sites.flatMap { Self.zones($0, isFirst: true) }, .named)
            try writeServer(.second, sites.flatMap { Self.zones($0, isFirst: false) }, second)
            try writeResolver()
            try start(.parent, .named, "p1.test")
            try start(.first, .named, sites.first?.domain ?? ".")
            try start(.second, second, sites.first?.domain ?? ".")
            try start(.resolver, .named, "p1.test")
        } catch {
            close()
            throw error
        }
    }

    /// Terminates the servers and removes the namespaces.
    func close() {
        let running = servers.withLock { servers in
            defer { servers = [] }
            return servers
        }
        // Waiting for a process also waits for its children, and nsd's children sometimes survive it.
        for signal in [SIGTERM, SIGKILL] {
            for _ in 0..<20 where !processes.isEmpty {
                for process in processes { kill(process, signal) }
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
        for process in running { process.waitUntilExit() }
        for name in Place.allCases.map(\.rawValue) + ["hub"] {
            _ = try? Program.run("ip", ["netns", "delete", prefix + name])
        }
        try? FileManager.default.removeItem(at: folder)
    }

    /// The IDs of the processes in the namespaces.
    private var processes: [pid_t] {
        Place.allCases.flatMap { place in
            let output = (try? Program.run("ip", ["netns", "pids", prefix + place.rawValue]).output) ?? ""
            return output.split(separator: "\n").compactMap { pid_t($0) }
        }
    }

    /// Runs a program in a namespace.
    func run(in place: Place = .client, _ program: String, _ arguments: [String], input: String? = nil) throws
        -> Program
    {
        let path = program.hasPrefix("/") ? program : Program.path(of: program) ?? program
        return try Program.run("ip", ["netns", "exec", prefix + place.rawValue, path] + arguments, input: input)
    }

    // MARK: The network

    private func makeNamespaces() throws {
        let hub = prefix + "hub"
        var lines = ["netns add \(hub)", "-n \(hub) link add br0 type bridge", "-n \(hub) link set br0 up"]
        for place in Place.allCases {
            let name = prefix + place.rawValue
            lines += [
                "netns add \(name)", "-n \(name) link set lo up",
                "-n \(name) link add eth0 type veth peer name \(place.rawValue) netns \(hub)",
                "-n \(name) address add \(place.address)/24 dev eth0", "-n \(name) link set eth0 up",
                "-n \(hub) link set \(place.rawValue) master br0", "-n \(hub) link set \(place.rawValue) up",
            ]
            if place == .parent { lines.append("-n \(name) address add \(Self.otherParent)/24 dev eth0") }
        }
        for line in lines {
            let result = try Program.run("ip", line.split(separator: " ").map(String.init))
            guard result.status == 0 else { throw Failure(text: "ip \(line): \(result.output)") }
        }
    }

    struct Failure: Error { let text: String }

    // MARK: The servers' files

    private struct ZoneText {
        let name: String
        let text: String
    }

    private static func zones(_ site: Site, isFirst: Bool) -> [ZoneText] {
        (site.children + [site.forward]).filter { isFirst ? $0.isOnFirst : $0.isOnSecond }.map { zone in
            ZoneText(name: zone.name.description, text: isFirst ? zone.text : zone.textOfSecond ?? zone.text)
        }
    }

    private func writeParent(_ sites: [Site]) throws {
        var root = """
            $TTL 3600
            . IN SOA a.root.test. hostmaster.test. 1 14400 3600 1209600 60
            . IN NS a.root.test.
            . IN NS b.root.test.
            a.root.test. IN A 10.53.0.1
            b.root.test. IN A \(Self.otherParent)
            p1.test. IN A 10.53.0.1
            p2.test. IN A \(Self.otherParent)
            lame.test. IN NS ns.lame.test.
            ns.lame.test. IN A 10.53.0.3

            """
        var parents: [ZoneText] = []
        for site in sites {
            let name = site.parent.name.description
            root += "\(name) IN NS p1.test.\n\(name) IN NS p2.test.\n"
            for (server, place) in [("ns1", Place.first), ("ns2", .second)] {
                root += "\(site.domain). IN NS \(server).\(site.domain).\n"
                root += "\(server).\(site.domain). IN A \(place.address)\n"
            }
            parents.append(ZoneText(name: name, text: site.parent.text))
        }
        try writeServer(.parent, [ZoneText(name: ".", text: root)] + parents, .named)
    }

    private func writeServer(_ place: Place, _ zones: [ZoneText], _ kind: Second) throws {
        let home = folder.appending(path: place.rawValue)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        for (index, zone) in zones.enumerated() { try write(zone.text, home, "zone\(index)") }
        let names = zones.map { $0.name == "." ? "." : String($0.name.dropLast()) }
        let text =
            switch kind {
            case .named:
                Self.options(home, "recursion no; check-integrity no;")
                    + names.enumerated().map { "zone \"\($1)\" { type primary; file \"zone\($0)\"; };\n" }.joined()
            case .nsd:
                """
                server:
                  username: ""
                  zonesdir: "\(home.path)"
                  pidfile: "\(home.path)/pid"
                  xfrdfile: ""
                  zonelistfile: "\(home.path)/zonelist"
                  database: ""
                  ip-address: \(place.address)
                  rrl-ratelimit: 0
                remote-control:
                  control-enable: no

                """ + names.enumerated().map { "zone:\n  name: \"\($1)\"\n  zonefile: \"zone\($0)\"\n" }.joined()
            case .knotd:
                """
                server:
                  rundir: "\(home.path)"
                  listen: [ "\(place.address)@53" ]
                database:
                  storage: "\(home.path)"
                template:
                  - id: default
                    storage: "\(home.path)"
                    zonefile-sync: -1
                zone:

                """ + names.enumerated().map { "  - domain: \"\($1)\"\n    file: \"zone\($0)\"\n" }.joined()
            }
        try write(text, home, "conf")
        guard kind == .named else { return }
        let check = try Program.run("named-checkconf", ["-z", home.appending(path: "conf").path])
        guard check.status == 0 else { throw Failure(text: "named-checkconf: \(check.output)") }
    }

    private static func options(_ home: URL, _ more: String) -> String {
        """
        options { directory "\(home.path)"; pid-file "\(home.path)/pid"; session-keyfile "\(home.path)/key"; listen-on { any; };
          listen-on-v6 { none; }; empty-zones-enable no; dnssec-validation no; allow-query { any; }; notify no;
          minimal-responses no; \(more) };
        controls { };

        """
    }

    private func writeResolver() throws {
        let home = folder.appending(path: "resolver")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try write(". 3600 IN NS a.root.test.\na.root.test. 3600 IN A 10.53.0.1\n", home, "hints")
        let options = Self.options(home, "recursion yes; allow-recursion { any; }; allow-query-cache { any; };")
        try write(options + "zone \".\" { type hint; file \"hints\"; };\n", home, "conf")
    }

    private func write(_ text: String, _ home: URL, _ name: String) throws {
        try Data(text.utf8).write(to: home.appending(path: name))
    }

    // MARK: Processes

    /// Starts a server and waits until it answers for a name.
    private func start(_ place: Place, _ kind: Second, _ name: String) throws {
        let home = folder.appending(path: place.rawValue)
        let configuration = home.appending(path: "conf").path
        let arguments =
            switch kind {
            case .named: ["-f", "-n", "1", "-c", configuration]
            case .nsd: ["-d", "-c", configuration]
            case .knotd: ["-c", configuration]
            }
        let process = Process()
        process.executableURL = URL(filePath: Program.path(of: "ip") ?? "/sbin/ip")
        process.arguments =
            ["netns", "exec", prefix + place.rawValue, Program.path(of: kind.rawValue) ?? kind.rawValue] + arguments
        let log = home.appending(path: "log")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        let handle = try FileHandle(forWritingTo: log)
        (process.standardOutput, process.standardError) = (handle, handle)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        servers.withLock { $0.append(process) }
        for _ in 0..<200 {
            let answer = try run("dig", ["+tries=1", "+time=1", "@\(place.address)", name, "SOA"])
            if answer.output.contains("status: NOERROR") { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        throw Failure(text: "\(kind.rawValue) at \(place.rawValue) does not answer: \(text.suffix(2_000))")
    }
}
