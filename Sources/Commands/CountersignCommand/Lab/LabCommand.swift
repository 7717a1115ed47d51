// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import ChallengeLab
import CommandSession
import CommandSupport
import EssentialFoundation

/// `countersign lab`, which runs the servers until a signal ends them.
struct LabCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab",
        abstract: "Start local servers that each present one challenge or one fault.",
        discussion: """
            They listen on 127.0.0.1 until Ctrl-C: TLS with and without faults, revocation, Basic, Digest, SCRAM, Bearer and NTLM, \
            HTTP and SOCKS 5 proxies, redirects, cookies, broken bodies. The first one shows them as a web page (/index.html) and as \
            JSON (/catalogue.json). The http and https servers list the HTTP/1 faults under /fault, and show each under /fault/NAME. Their authority and a client identity are written to a folder, for any client to \
            use. User and password are lab and countersign; the Bearer server's token is countersign-lab-token.

            With --listen or --announce every computer on the network can reach the servers, and the passwords are public: they \
            are in this text. The proxies stay on 127.0.0.1. The certificates are then for this computer's name and addresses too.

            Example: countersign lab --directory lab-files
            Example: countersign lab --announce --directory lab-files
            """)

    struct Catalogue: Encodable {
        struct Announcement: Encodable {
            /// The name of the server in the catalogue.
            let server: String
            let name: String
            let type: String
        }

        let files: [String]
        let servers: [LabCatalogue.Entry]
        /// The names and addresses by which other computers reach the servers.
        let hosts: [String]?
        let announced: [Announcement]?
    }

    @Option(
        help:
            "The folder for ca.pem, client.pem, client-certificate.pem, client-key.pem, logs.json and crl.pem; by default, a temporary folder that is removed when the lab ends."
    )
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "Listen on this address instead of 127.0.0.1, and be reachable from the network; 0.0.0.0 or :: for all addresses.",
            valueName: "address"), transform: Self.address)
    var listen: HostName?

    @Flag(
        help: ArgumentHelp(
            "Announce each server except the proxies on the local network, as \"Lab NAME\" (multicast DNS, DNS-SD).",
            discussion:
                "Without --listen the servers then listen on all addresses. The program countersign-discover announces."
        ))
    var announce = false

    @Flag(help: "Print the catalogue as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let reach = try wantedReach()
        let program = announce ? try DiscoverProgram.path() : nil
        let folder = directory == nil ? try PrivateFolder(prefix: "countersign-lab-") : nil
        let (lab, place) = try await Self.start(reach)
        var announcer: LabAnnouncer?
        do {
            try Task.checkCancellation()
            let target = URL(filePath: directory ?? folder?.path ?? ".", directoryHint: .isDirectory)
            let files = try lab.save(to: target).map(\.path)
            if place.isNetwork { warn(console) }
            announcer = try program.map { try LabAnnouncer(lab.servers, program: $0) }
            if !json { try show(lab, files: files, at: place, console) }
            let announced = try await Self.names(from: announcer)
            if json {
                try show(lab, files: files, at: place, announced, console)
            } else if let announced {
                try show(announced, of: lab, ca: files.first ?? "ca.pem", outOf: announcer?.count ?? 0, console)
            }
            let pause = announcer == nil ? Duration.seconds(3_600) : .milliseconds(200)
            while announcer?.hasEnded != true { try await Task.sleep(for: pause) }
            throw ServiceError.announcementEnded
        } catch {
            // Removes the folder first, because the process may end before all servers have stopped.
            folder?.remove()
            async let goodbye: Void? = announcer?.stop()
            try await lab.stop()
            await goodbye
            if error is CancellationError { return .interrupted }
            throw error
        }
    }

    // MARK: Listening

    /// - Returns: The address to listen on; `nil` for every address.
    private func wantedReach() throws -> LabReach? {
        guard let listen else { return announce ? nil : .loopback }
        guard let reach = LabReach(listen) else { throw UsageError.value("--listen", Self.addressForm) }
        if announce, !reach.isNetwork { throw UsageError.contradiction("--announce", "--listen \(listen)") }
        return reach
    }

    private static func start(_ reach: LabReach?) async throws -> (lab: Lab, place: LabReach) {
        if let reach { return (try await start(at: reach), reach) }
        let everywhere = ["::", "0.0.0.0"].compactMap { (try? HostName($0)).flatMap(LabReach.init) }
        for place in everywhere.dropLast() {
            // A computer without IPv6 cannot listen on an IPv6 address.
            do { return (try await start(at: place), place) } catch LabError.cannotListen {}
        }
        let last = everywhere.last ?? .loopback
        return (try await start(at: last), last)
    }

    private static func start(at reach: LabReach) async throws -> Lab {
        // The proxies connect to loopback, on which the other servers do not listen in this case.
        let kinds = LabServer.Kind.allCases.filter { !$0.isProxy || reach.isEverywhere || reach == .loopback }
        return try await Lab.start(Set(kinds), reachedAt: reach)
    }

    private static let addressForm = "write an address of this computer, such as 192.0.2.7, or 0.0.0.0 or :: for all"

    private static func address(_ text: String) throws(WrongValue) -> HostName {
        guard let host = try? HostName(text), host.isAddress else { throw WrongValue(addressForm) }
        return host
    }

    // MARK: Announcing

    /// Waits until each server is announced; without a network, the program announces them when there is one.
    private static func names(from announcer: LabAnnouncer?) async throws -> [LabAnnouncer.Announced]? {
        guard let announcer else { return nil }
        let deadline = ContinuousClock.now + .seconds(15)
        while announcer.announced.count < announcer.count, ContinuousClock.now < deadline {
            if announcer.hasEnded { throw ServiceError.announcementEnded }
            try await Task.sleep(for: .milliseconds(50))
        }
        return announcer.announced
    }

    // MARK: Output

    private func warn(_ console: Console) {
        console.printError(
            "countersign: warning: every computer on the network can reach this lab, and its user, password and token are public."
        )
    }

    private func show(
        _ lab: Lab, files: [String], at place: LabReach, _ announced: [LabAnnouncer.Announced]?, _ console: Console
    ) throws {
        let announcements = announced?.compactMap { one in
            lab.servers.first { $0.port == one.port }.map {
                Catalogue.Announcement(server: $0.name, name: one.name, type: LabAnnouncer.type(of: $0))
            }
        }
        try console.print(
            json: Catalogue(
                files: files, servers: LabCatalogue(servers: lab.servers).servers,
                hosts: place.isNetwork ? place.names : nil, announced: announcements))
    }

    private func show(_ lab: Lab, files: [String], at place: LabReach, _ console: Console) throws {
        for server in lab.servers {
            try console.print(
                "\(server.name.column(34)) \(server.url.column(48)) \(server.presents); expect: \(server.expectation.rawValue)"
            )
        }
        try console.print("\nFiles: \(files.joined(separator: " "))")
        let (https, ca) = (lab[.goodHTTPS].url, files.first ?? "ca.pem")
        try console.print("Try:   curl --cacert \(ca) \(https)")
        try console.print("       countersign get \(https) --anchor \(ca)")
        if place.isNetwork, !place.names.isEmpty {
            let hosts = place.names.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ", ")
            try console.print("From other computers, with the same ports: \(hosts)")
        }
        try console.print(
            "User and password: \(Lab.credentials.user), \(Lab.credentials.password). Ctrl-C stops the lab.")
    }

    private func show(
        _ announced: [LabAnnouncer.Announced], of lab: Lab, ca: String, outOf count: Int, _ console: Console
    ) throws {
        try console.print("Announced: \(announced.count) of \(count) servers, each as \"Lab \" and its name.")
        for one in announced {
            guard let server = lab.servers.first(where: { $0.port == one.port }),
                one.name != LabAnnouncer.name(of: server)
            else { continue }
            try console.print("       \(server.name) as \"\(one.name)\", because another computer has the name")
        }
        guard let good = announced.first(where: { $0.port == lab[.goodHTTPS].port }) else { return }
        try console.print("Try, with a copy of \(ca):")
        try console.print("       countersign get '\(good.name)._https._tcp.local' --anchor ca.pem")
    }
}
