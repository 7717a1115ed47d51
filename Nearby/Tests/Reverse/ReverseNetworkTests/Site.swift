// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames
import ReverseZones

/// A delegation with all its zones, as texts in which a test can introduce a problem.
struct Site {
    /// A number that makes the names unique, so that one network can contain many sites.
    let number: Int
    let block: AddressBlock
    let hosts: [ReverseHost]
    /// The parent zone.
    var parent: Zone
    /// The zones with PTR records.
    var children: [Zone]
    var forward: Zone

    struct Zone {
        let name: DomainName
        var text: String
        /// The text on the second server, if it differs.
        var textOfSecond: String?
        /// Whether the first server has the zone.
        var isOnFirst = true
        var isOnSecond = true

        mutating func replace(_ line: String, _ other: String) {
            precondition(text.contains(line), "\(line) is not in\n\(text)")
            text = text.replacing(line, with: other)
        }
    }

    var domain: String { "f\(number).test" }
    func host(_ index: Int) -> String { "h\(index).\(domain)" }

    /// Creates a delegation without problems, in which each address has a host.
    init(_ number: Int, _ block: String, _ style: DelegationStyle? = nil) throws {
        let (block, domain) = (try AddressBlock(block), "f\(number).test")
        let servers = try ["ns1", "ns2"].map { try DomainName("\($0).\(domain)") }
        let delegation = try ReverseDelegation(of: block, style: style, nameServers: servers)
        let authority = StartOfAuthority(
            primary: servers[0], mailbox: try DomainName("hostmaster.\(domain)"), serial: ZoneSerial(2_026_010_100))
        hosts = try Self.addresses(of: block).enumerated().map {
            ReverseHost($1, try DomainName("h\($0).\(domain)"))
        }
        let head =
            "@ IN SOA p1.test. hostmaster.test. 2026010100 14400 3600 1209600 60\n@ IN NS p1.test.\n@ IN NS p2.test.\n"
        let part = try ReverseDelegation.parentFile(of: [delegation])
        let origin = "$ORIGIN \(part.origin)\n"
        parent = Zone(
            name: part.origin, text: "\(origin)$TTL 3600\n\(head)" + part.text.dropFirst(origin.count))
        let addresses = hosts.map { host in
            "\(host.name) IN \(host.address.isIPv4 ? "A" : "AAAA") \(host.address)\n"
        }.joined()
        forward = Zone(
            name: try DomainName(domain),
            text: """
                $ORIGIN \(domain).
                $TTL 3600
                @ IN SOA ns1 hostmaster 2026010100 14400 3600 1209600 60
                @ IN NS ns1
                @ IN NS ns2
                ns1 IN A 10.53.0.2
                ns2 IN A 10.53.0.3
                \(addresses)
                """)
        children = []
        for file in try delegation.zoneFiles(of: hosts, authority: authority) {
            if file.timeToLive == nil {
                forward.text += file.text
            } else {
                children.append(Zone(name: file.origin, text: file.text))
            }
        }
        (self.number, self.block) = (number, block)
    }

    /// Returns the addresses of a block, at most the first 300.
    private static func addresses(of block: AddressBlock) -> [IPAddress] {
        let bits = block.first.bytes.count * 8 - block.prefixLength
        return (0..<min(300, 1 << min(bits, 16))).compactMap { number in
            var bytes = block.first.bytes
            bytes[bytes.count - 1] += UInt8(number & 0xFF)
            bytes[bytes.count - 2] += UInt8(number >> 8)
            return IPAddress(bytes: bytes)
        }
    }

    /// Returns a site for introducing problems: 198.18.N.64/28, in the hyphen style.
    static func small(_ number: Int) throws -> Site { try Site(number, "198.18.\(number).64/28", .hyphen) }
}
