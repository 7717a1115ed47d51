// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

@Suite("Interoperability with other implementations", .serialized, .enabled(if: NamespaceNetwork.isPossible))
struct RealPeerTests {
    private func inNetwork(_ hosts: Int, _ body: (NamespaceNetwork) async throws -> Void) async throws {
        let network = try NamespaceNetwork(hosts)
        defer { network.tearDown() }
        try await body(network)
    }

    @Test("Avahi finds an announced service, and reports its withdrawal")
    func avahiFinds() async throws {
        try await inNetwork(2) { network in
            _ = try await network.startAvahi("b")
            let browser = try network.start("b", ["avahi-browse", "-rp", "_http._tcp"])
            let subtypes = try network.start("b", ["avahi-browse", "-p", "_printer._sub._http._tcp"])
            let own = try network.discover(
                "a",
                [
                    "_http._tcp", "--announce", "Büro ☕", "--port", "8080", "--txt", "path=/x", "--txt", "flag",
                    "--subtype", "_printer", "--via", "own",
                ])
            try await own.waits(for: "announced")
            try await browser.waits(for: #"IPv4;B\195\188ro\032\226\152\149;Web Site;local;"#)
            try await browser.waits(for: #";8080;"#)
            #expect(browser.text.contains(#""flag""#) && browser.text.contains(#""path=/x""#))
            try await subtypes.waits(for: #"B\195\188ro"#)
            own.interrupt()
            try await browser.waits(for: "-;eth0;IPv4;")
        }
    }

    @Test("A service that Avahi announces is found, resolved and reported lost")
    func findsAvahi() async throws {
        try await inNetwork(2) { network in
            _ = try await network.startAvahi("b")
            let own = try network.discover("a", ["--resolve", "--via", "own"])
            let publisher = try network.start(
                "b", ["avahi-publish", "-s", "Printer", "_ipp._tcp", "631", "a=b", "c", "d="])
            try await own.waits(for: #""event":"found","interface":"eth0","name":"Printer","type":"_ipp._tcp""#)
            try await own.waits(for: #""event":"resolved""#)
            #expect(own.text.contains(#""txt":{"a":"b","c":null,"d":""}"#))
            #expect(own.text.contains(#"%eth0""#) && own.text.contains(#""192.0.2.2""#))
            publisher.end()
            try await own.waits(for: #""event":"lost""#)
            let lookup = try network.discover("a", ["Printer._ipp._tcp", "--timeout", "1"])
            #expect(lookup.finish().contains("was not found"))
        }
    }

    @Test("This program avoids a name of Avahi, and Avahi avoids one of this program", arguments: [true, false])
    func conflict(isAvahiFirst: Bool) async throws {
        try await inNetwork(2) { network in
            _ = try await network.startAvahi("b")
            let avahi = ["avahi-publish", "-s", "Printer", "_ipp._tcp", "631"]
            let own = ["_ipp._tcp", "--announce", "Printer", "--port", "99", "--via", "own"]
            if isAvahiFirst {
                let first = try network.start("b", avahi)
                try await first.waits(for: "Established under name 'Printer'")
                let second = try network.discover("a", own)
                try await second.waits(for: #""name":"Printer (2)""#)
            } else {
                let first = try network.discover("a", own)
                try await first.waits(for: #""name":"Printer""#)
                let second = try network.start("b", avahi)
                try await second.waits(for: "Established under name 'Printer #2'")
            }
        }
    }

    @Test("The Avahi daemon announces, finds and resolves services over D-Bus, and can be restarted")
    func throughAvahi() async throws {
        try await inNetwork(2) { network in
            let daemon = try await network.startAvahi("b")
            let announcer = try network.discover(
                "b", ["_http._tcp", "--announce", "Web", "--port", "80", "--txt", "k=v", "--subtype", "_printer"])
            try await announcer.waits(for: #""via":"avahi""#)
            try await announcer.waits(for: #""event":"announced","name":"Web""#)
            let second = try network.discover("b", ["_http._tcp", "--announce", "Web", "--port", "81"])
            try await second.waits(for: #""name":"Web (2)""#)
            let other = try network.discover("a", ["_printer._sub._http._tcp", "--resolve", "--via", "own"])
            try await other.waits(for: #""txt":{"k":"v"}"#)
            let browser = try network.discover("b", ["_http._tcp", "--resolve"])
            try await browser.waits(for: #""event":"resolved""#, times: 2)
            let lookup = try network.discover("b", ["Web._http._tcp"])
            #expect(lookup.finish().contains(#""192.0.2.2""#))
            daemon.end()
            try await browser.waits(for: #""event":"lost""#, times: 2)
            _ = try await network.restartAvahi("b")
            try await browser.waits(for: #""event":"found""#, times: 4)
            announcer.interrupt()
            try await browser.waits(for: #""event":"lost","interface":"eth0","name":"Web","type""#, times: 2)
        }
    }

    @Test("python-zeroconf and this program find each other, and each avoids the other's name")
    func zeroconf() async throws {
        guard try PeerProcess.run(["/usr/bin/python3", "-c", "import zeroconf"]).isEmpty else {
            print("Skipped, because python3-zeroconf is missing; scripts/make/setup interop installs it.")
            return
        }
        try await inNetwork(2) { network in
            let script = network.folder.appending(path: "peer.py")
            try """
            import socket, sys, time
            from zeroconf import Zeroconf, ServiceBrowser, ServiceInfo, IPVersion
            zc = Zeroconf(ip_version=IPVersion.V4Only)
            class Listener:
                def add_service(self, zc, type_, name):
                    info = zc.get_service_info(type_, name)
                    print("found", name, info and info.port, info and info.properties, flush=True)
                def remove_service(self, zc, type_, name): print("lost", name, flush=True)
                def update_service(self, zc, type_, name): pass
            ServiceBrowser(zc, "_http._tcp.local.", Listener())
            info = ServiceInfo("_http._tcp.local.", "Zero._http._tcp.local.", addresses=[socket.inet_aton("192.0.2.2")],
                               port=81, properties={"k": "v"}, server="zero.local.")
            zc.register_service(info, allow_name_change=True)
            print("registered", info.name, flush=True)
            time.sleep(60)
            """.write(to: script, atomically: true, encoding: .utf8)
            let own = try network.discover("a", ["_http._tcp", "--announce", "Own", "--port", "80", "--via", "own"])
            try await own.waits(for: "announced")
            let browser = try network.discover("a", ["_http._tcp", "--resolve", "--via", "own"])
            let peer = try network.start("b", ["/usr/bin/python3", script.path])
            try await peer.waits(for: "registered Zero._http")
            try await peer.waits(for: "found Own._http._tcp.local. 80")
            try await browser.waits(for: #""name":"Zero","port":81,"txt":{"k":"v"}"#)
            let rival = try network.discover("a", ["_http._tcp", "--announce", "Zero", "--port", "82", "--via", "own"])
            try await rival.waits(for: #""name":"Zero (2)""#)
            own.interrupt()
            try await peer.waits(for: "lost Own._http")
        }
    }

    /// Tests with systemd-resolved, which scripts/make/setup does not install, because its Debian package replaces the
    /// machine's /etc/resolv.conf.
    @Test("systemd-resolved resolves hosts and services")
    func resolved() async throws {
        let program = "/lib/systemd/systemd-resolved"
        guard FileManager.default.isExecutableFile(atPath: program) else {
            print("Skipped, because \(program) is missing.")
            return
        }
        try await inNetwork(2) { network in
            let own = try network.discover(
                "a", ["_http._tcp", "--announce", "Own", "--port", "82", "--txt", "a=b", "--via", "own"])
            try await own.waits(for: "announced")
            try await network.startBus("b")
            // The process has a separate /run folder and host name, so that the machine is unchanged.
            let script = """
                hostname peer
                mount -t tmpfs none /run/systemd && mkdir -p /run/systemd/resolve /run/systemd/resolved.conf.d
                chown systemd-resolve:systemd-resolve /run/systemd/resolve
                printf '[Resolve]\\nMulticastDNS=yes\\nLLMNR=no\\nDNSStubListener=no\\n' > /run/systemd/resolved.conf.d/a.conf
                \(program) & process=$!
                for try in {1..30}; do resolvectl mdns eth0 yes && break; sleep 0.2; done
                for try in {1..5}; do timeout 3 resolvectl service Own _http._tcp local && break; done
                kill $process; wait $process
                """
            let peer = try network.start("b", ["unshare", "-m", "-u", "bash", "-c", script])
            try await peer.waits(for: "Own/_http._tcp/local:")
            try await peer.waits(for: "mDNS/IPv4")
            #expect(peer.finish().contains("192.0.2.1"))
            #expect(peer.text.contains("a=b"))
        }
    }

    @Test("Services are lost and found again when a cable is disconnected and reconnected, with unchanged names")
    func cable() async throws {
        try await inNetwork(2) { network in
            _ = try await network.startAvahi("b")
            let avahi = try network.start("b", ["avahi-publish", "-s", "Printer", "_ipp._tcp", "631"])
            try await avahi.waits(for: "Established")
            let own = try network.discover("a", ["_ipp._tcp", "--announce", "Own", "--port", "99", "--via", "own"])
            try await own.waits(for: "announced")
            let browser = try network.discover("a", ["_ipp._tcp", "--via", "own"])
            try await browser.waits(for: #""event":"found","interface":"eth0","name":"Printer""#)
            try network.setCable(of: "a", isPlugged: false)
            try await browser.waits(for: #""event":"lost","interface":"eth0","name":"Printer""#)
            try network.setCable(of: "a", isPlugged: true)
            try await browser.waits(for: #""event":"found","interface":"eth0","name":"Printer""#, times: 2)
            let other = try network.start("b", ["avahi-browse", "-p", "_ipp._tcp"])
            try await other.waits(for: "IPv4;Own;")
            try await Task.sleep(for: .seconds(2))
            #expect(!other.text.contains(#"Own\032"#), "\(other.text)")
        }
    }

    @Test("A resolver without support for multicast DNS gets an answer")
    func legacyQuery() async throws {
        try await inNetwork(2) { network in
            let own = try network.discover("a", ["_http._tcp", "--announce", "Own", "--port", "80", "--via", "own"])
            try await own.waits(for: "announced")
            let dig = try network.start(
                "b",
                [
                    "dig", "+noall", "+answer", "+time=2", "+tries=1", "-p", "5353", "@192.0.2.1",
                    "Own._http._tcp.local", "SRV",
                ])
            #expect(dig.finish().contains(try Regex(#"10\s+IN\s+SRV\s+0 0 80 "#)))
        }
    }

    @Test("Programs on one computer share the port, and resolve name conflicts")
    func twoProcesses() async throws {
        try await inNetwork(2) { network in
            let arguments = ["_http._tcp", "--announce", "Own", "--via", "own", "--port"]
            let first = try network.discover("a", arguments + ["80"])
            try await first.waits(for: #""name":"Own""#)
            let second = try network.discover("a", arguments + ["81"])
            try await second.waits(for: #""name":"Own (2)""#)
            let other = try network.discover("b", ["_http._tcp", "--resolve", "--via", "own"])
            try await other.waits(for: #""event":"resolved""#, times: 2)
            first.interrupt()
            try await other.waits(for: #""event":"lost","interface":"eth0","name":"Own""#)
            let lookup = try network.discover("b", ["Own (2)._http._tcp"])
            #expect(lookup.finish().contains(#""192.0.2.1""#))
        }
    }

    @Test("Services in the lines of standard input are announced until its end")
    func inputLines() async throws {
        try await inNetwork(2) { network in
            let own = try network.discover("a", ["--announce-input", "--via", "own"])
            let other = try network.discover("b", ["_https._tcp", "--resolve", "--via", "own"])
            for index in 1...3 {
                let line = #"{"name":"Lab \#(index)","type":"_https._tcp","port":\#(8440 + index),"txt":{"path":"/"}}"#
                own.write(line)
            }
            try await own.waits(for: "announced", times: 3)
            try await other.waits(for: #""txt":{"path":"/"}"#, times: 3)
            own.closeInput()
            own.finish()
            try await other.waits(for: #""event":"lost""#, times: 3)
        }
    }
}
