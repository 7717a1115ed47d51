// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import ReverseZones

/// A problem in a delegation, with the expected findings of a check.
struct Fault: Sendable, CustomStringConvertible {
    let description: String
    /// The codes and subjects of the expected findings; `PARENT`, `CHILD` and `N` are replaced by zones and the number
    /// of the site.
    let expected: [String]
    /// The further arguments of the correction; `nil` if the files alone do not determine the correct data.
    var fix: [String]? = []
    /// Whether the problem is visible in zone files, and not only on servers.
    var isInFiles = true
    /// Whether the problem is visible on servers, and not only in zone files, which servers may load differently or
    /// reject.
    var isLive = true
    let make: @Sendable (inout Site) throws -> Void

    /// Returns the expected findings for a site.
    func findings(_ site: Site) -> [String] {
        expected.map { text in
            text.replacing("PARENT", with: site.parent.name.description)
                .replacing("CHILD", with: site.children[0].name.description)
                .replacing("N", with: String(site.number))
        }.sorted()
    }

    private static let servers = ["--ns", "ns1.fN.test", "--ns", "ns2.fN.test"]

    /// Adds a name server of both sides outside the zones.
    private static func addServer(_ address: String?, _ site: inout Site) {
        let name = "ns3.\(site.domain)."
        site.parent.text += "64-28 IN NS \(name)\n"
        site.children[0].text += "@ IN NS \(name)\n"
        if let address { site.forward.text += "\(name) IN A \(address)\n" }
    }

    private static func alias(_ address: Int) -> String {
        "\(address)                      IN CNAME   \(address).64-28\n"
    }

    private static func pointer(_ address: Int, _ name: String) -> String {
        "\(address)                      IN PTR     \(name).\n"
    }

    static let all: [Fault] = [
        Fault(description: "a CNAME record is missing", expected: ["no-alias 198.18.N.66"]) {
            $0.parent.replace(alias(66), "")
        },
        Fault(description: "a PTR record is in the parent", expected: ["pointer-in-parent 198.18.N.66"]) {
            $0.parent.replace(alias(66), pointer(66, $0.host(2)))
        },
        Fault(
            description: "a CNAME record points to another address's name",
            expected: ["wrong-alias 198.18.N.66"]
        ) { $0.parent.replace(alias(66), "66 IN CNAME 67.64-28\n") },
        Fault(
            description: "a CNAME record points out of the zones",
            expected: ["wrong-alias 198.18.N.66"]
        ) { $0.parent.replace(alias(66), "66 IN CNAME 66.f\($0.number).test.\n") },
        Fault(description: "an alias points to an alias", expected: ["alias-chain 198.18.N.66"]) {
            $0.children[0].replace(pointer(66, $0.host(2)), "66 IN CNAME other\nother IN PTR \($0.host(2)).\n")
        },
        Fault(description: "aliases form a loop", expected: ["alias-loop 198.18.N.66"]) {
            $0.children[0].replace(pointer(66, $0.host(2)), "66 IN CNAME 66.\($0.parent.name)\n")
        },
        Fault(
            description: "the parent does not delegate the zone",
            expected: ["not-delegated CHILD"]
        ) { site in
            for server in ["ns1", "ns2"] {
                site.parent.replace("64-28                   IN NS      \(server).\(site.domain).\n", "")
            }
        },
        Fault(description: "a PTR record is missing", expected: ["no-pointer 198.18.N.66"]) {
            $0.children[0].replace(pointer(66, $0.host(2)), "")
        },
        Fault(description: "an address has several PTR records", expected: ["several-pointers 198.18.N.66"]) {
            $0.children[0].text += "66 IN PTR also.\($0.domain).\n"
            $0.forward.text += "also.\($0.domain). IN A 198.18.\($0.number).66\n"
        },
        Fault(description: "a PTR record names an alias", expected: ["pointer-to-alias 198.18.N.66"]) {
            $0.children[0].replace(pointer(66, $0.host(2)), pointer(66, "www.\($0.domain)"))
            $0.forward.text += "www.\($0.domain). IN CNAME \($0.host(2)).\n"
        },
        Fault(description: "a PTR record names a host that does not exist", expected: ["no-forward 198.18.N.66"]) {
            $0.children[0].replace(pointer(66, $0.host(2)), pointer(66, "gone.\($0.domain)"))
        },
        Fault(description: "a PTR record names another address's host", expected: ["other-forward 198.18.N.66"]) {
            $0.children[0].replace(pointer(66, $0.host(2)), pointer(66, $0.host(3)))
        },
        Fault(
            description: "a PTR record names a host of a zone without servers", expected: ["no-answer 198.18.N.66"],
            fix: nil, isInFiles: false
        ) { $0.children[0].replace(pointer(66, $0.host(2)), pointer(66, "host.lame.test")) },
        Fault(
            description: "a name server does not respond", expected: ["silent-server CHILD"], fix: servers,
            isInFiles: false
        ) { addServer("10.53.0.99", &$0) },
        Fault(
            description: "a name server rejects queries for the zone", expected: ["refusing-server CHILD"],
            isInFiles: false
        ) { $0.children[0].isOnSecond = false },
        Fault(
            description: "a name server is not authoritative", expected: ["not-authoritative CHILD"], fix: servers,
            isInFiles: false
        ) { addServer("10.53.0.4", &$0) },
        Fault(description: "the servers' serials differ", expected: ["different-serials CHILD"], isInFiles: false) {
            $0.children[0].textOfSecond = $0.children[0].text.replacing("2026010100", with: "2026010101")
        },
        Fault(description: "both sides' NS records differ", expected: ["different-servers CHILD"]) {
            $0.parent.replace("64-28                   IN NS      ns2.\($0.domain).\n", "")
        },
        Fault(description: "a name server is an alias", expected: ["server-is-alias CHILD"]) {
            addServer(nil, &$0)
            $0.forward.text += "ns3.\($0.domain). IN CNAME ns2.\($0.domain).\n"
        },
        Fault(description: "a name server has no address", expected: ["server-without-address CHILD"]) {
            addServer(nil, &$0)
        },
        Fault(description: "a delegation overlaps", expected: ["overlap 64/27.PARENT"]) {
            $0.parent.text += "64/27 IN NS ns1.\($0.domain).\n64/27 IN NS ns2.\($0.domain).\n"
        },
        Fault(
            description: "the time to live of records is too short",
            expected: ["unusual-ttl CHILD", "unusual-ttl CHILD"]
        ) {
            $0.children[0].replace("$TTL 86400", "$TTL 30")
            for address in 64...79 {
                let line = pointer(address, $0.host(address - 64))
                $0.children[0].replace(line, line.replacing("IN PTR", with: "3600 IN PTR"))
            }
        },
        Fault(
            description: "the time to live of a record is too long", expected: ["unusual-ttl 198.18.N.66"],
            isLive: false
        ) {
            $0.children[0].replace(pointer(66, $0.host(2)), "66 30d IN PTR \($0.host(2)).\n")
        },
        Fault(
            description: "records of a name have different times to live",
            expected: ["different-ttls CHILD"], isLive: false
        ) {
            let line = "@                       IN NS      ns2.\($0.domain).\n"
            $0.children[0].replace(line, line.replacing("IN NS", with: "3600 IN NS"))
        },
        Fault(description: "the zone expires before it is refreshed", expected: ["short-expiry CHILD"]) {
            $0.children[0].replace("14400 3600 1209600", "14400 3600 7200")
        },
        Fault(
            description: "no address has a name",
            expected: ["nothing-found PARENT"], fix: nil
        ) { site in
            for address in 64...79 { site.parent.replace(alias(address), "") }
        },
    ]
}
