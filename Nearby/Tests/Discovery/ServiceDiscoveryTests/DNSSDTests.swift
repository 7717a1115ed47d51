// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

@testable import ServiceDiscovery

/// The dns_sd implementation.
enum DNSSD {
    /// Whether the build includes the implementation; otherwise the tests check its error message.
    static var isBuilt: Bool {
        #if DNSServiceDiscovery
            return true
        #else
            print("Skipped, because this build is without the trait DNSServiceDiscovery: set COUNTERSIGN_DNSSD=1.")
            return false
        #endif
    }
}

@Suite(
    "Service discovery with Avahi's dns_sd library", .serialized,
    .enabled(if: NamespaceNetwork.isPossible && DNSSD.isBuilt))
struct DNSSDTests {
    private let implementation = ["--via", "dnssd"]

    private func inNetwork(_ body: (NamespaceNetwork) async throws -> Void) async throws {
        let network = try NamespaceNetwork(2)
        defer { network.tearDown() }
        try await body(network)
    }

    @Test("Services with subtypes are announced, found and resolved, and the daemon can be restarted")
    func announces() async throws {
        try await inNetwork { network in
            let daemon = try await network.startAvahi("b")
            let announcer = try network.discover(
                "b",
                ["_http._tcp", "--announce", "A.B, Büro", "--port", "80", "--txt", "k=v", "--subtype", "_printer"]
                    + implementation)
            try await announcer.waits(for: #""via":"dnssd""#)
            try await announcer.waits(for: #""event":"announced","name":"A.B, Büro""#)
            let other = try network.discover("a", ["_printer._sub._http._tcp", "--resolve", "--via", "own"])
            try await other.waits(for: #""name":"A.B, Büro","port":80,"txt":{"k":"v"}"#)
            let browser = try network.discover("b", ["_printer._sub._http._tcp", "--resolve"] + implementation)
            try await browser.waits(for: #""event":"resolved""#)
            #expect(browser.text.contains(#""192.0.2.2""#) && browser.text.contains(#"%eth0""#))
            daemon.end()
            try await browser.waits(for: #""event":"lost""#)
            _ = try await network.restartAvahi("b")
            try await browser.waits(for: #""event":"resolved""#, times: 2)
            announcer.interrupt()
            try await browser.waits(for: #""event":"lost""#, times: 2)
            try await other.waits(for: #""event":"lost""#)
        }
    }

    @Test("Types, services and addresses of another host are found and reported lost")
    func finds() async throws {
        try await inNetwork { network in
            _ = try await network.startAvahi("b")
            let other = try network.discover(
                "a",
                ["_ipp._tcp", "--announce", "Printer", "--port", "631", "--txt", "c", "--txt", "d=", "--via", "own"])
            try await other.waits(for: "announced")
            let browser = try network.discover("b", implementation)
            try await browser.waits(for: #""event":"type","type":"_ipp._tcp""#)
            try await browser.waits(for: #""event":"found","interface":"eth0","name":"Printer","type":"_ipp._tcp""#)
            let lookup = try network.discover("b", ["Printer._ipp._tcp"] + implementation)
            #expect(lookup.finish().contains(#""192.0.2.1""#), "\(lookup.text)")
            #expect(lookup.text.contains(#""port":631,"txt":{"c":null,"d":""}"#))
            other.interrupt()
            try await browser.waits(for: #""event":"lost""#)
            let missing = try network.discover("b", ["Printer._ipp._tcp", "--timeout", "1"] + implementation)
            #expect(missing.finish().contains("was not found"))
        }
    }

    @Test("A name in use by this computer or another one is avoided")
    func conflict() async throws {
        try await inNetwork { network in
            _ = try await network.startAvahi("b")
            let other = try network.discover("a", ["_ipp._tcp", "--announce", "Far", "--port", "1", "--via", "own"])
            let same = try network.discover("b", ["_ipp._tcp", "--announce", "Near", "--port", "2", "--via", "avahi"])
            try await other.waits(for: "announced")
            try await same.waits(for: "announced")
            for (name, next) in [("Far", "Far #2"), ("Near", "Near (2)")] {
                let announcer = try network.discover(
                    "b", ["_ipp._tcp", "--announce", name, "--port", "3"] + implementation)
                try await announcer.waits(for: #""event":"announced","name":"\#(next)""#)
            }
        }
    }

    @Test("The errors for rejected and missing functions, and for a missing daemon, are explained")
    func refusals() async throws {
        try await inNetwork { network in
            let without = try network.discover("a", ["_ipp._tcp"] + implementation)
            #expect(without.finish().contains(#""code":"discover.dnssd-unavailable""#), "\(without.text)")
            _ = try await network.startAvahi("b")
            // Avahi's library rejects a comma in a subtype, which dns_sd escapes.
            let refused = try network.discover(
                "b", ["_ipp._tcp", "--announce", "A", "--port", "1", "--subtype", "a,b"] + implementation)
            #expect(refused.finish().contains("DNSServiceRegister failed with -65549"), "\(refused.text)")
            #expect(refused.text.contains(#""code":"discover.dnssd-refused""#))
            let unsupported = try network.discover("b", ["a,b._sub._ipp._tcp"] + implementation)
            #expect(
                unsupported.finish().contains("does not support the request with DNSServiceBrowse"),
                "\(unsupported.text)")
            #expect(unsupported.text.contains(#""code":"discover.dnssd-unsupported""#))
        }
    }
}

@Suite("Counts of sightings")
struct SightingTests {
    @Test("An item is present from its first report until its last report is removed") func counts() {
        var counts = SightingCounts<String>()
        #expect(counts.add("a") && !counts.add("a") && counts.add("b"))
        #expect(!counts.remove("a") && counts.remove("a") && !counts.remove("a"))
        #expect(counts.removeAll() == ["b"] && counts.removeAll().isEmpty)
    }
}
