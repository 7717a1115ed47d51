// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

extension ReverseFinding {
    /// The stable code of the finding's kind, for programs, such as `no-pointer`.
    public var code: String { text.code }
    /// The severity of the finding.
    public var severity: Severity { text.severity }
    /// The finding as a sentence.
    public var message: String { text.message }
    /// The recommended action as a sentence.
    public var advice: String { text.advice }

    private typealias Text = (code: String, severity: Severity, message: String, advice: String)

    private var text: Text {
        switch kind {
        case .noAlias, .pointerInParent, .wrongAlias, .aliasChain, .aliasLoop: aliasText
        case .noPointer, .severalPointers, .pointerToAlias, .noForward, .forwardMismatch, .noAnswer: pointerText
        case .silentServer, .refusingServer, .notAuthoritative, .differentSerials, .differentServers, .serverIsAlias,
            .serverWithoutAddress, .oneServer:
            serverText
        case .notDelegated, .nothingFound, .unrelated, .overlap, .slashLabel, .unusualTime, .differentTimes,
            .shortExpiry,
            .serialAhead:
            zoneText
        }
    }

    private var aliasText: Text {
        switch kind {
        case .pointerInParent:
            (
                "pointer-in-parent", .warning, "The parent itself has a PTR record for the address.",
                "Replace it by a CNAME record, as for the other addresses."
            )
        case .wrongAlias(let target, let expected):
            (
                "wrong-alias", .error,
                "The CNAME record points to \(target.withoutDot), not to \(expected.withoutDot).",
                "Correct the CNAME record in the parent zone."
            )
        case .aliasChain(let names):
            (
                "alias-chain", .warning, "\(names.count) aliases form a chain: \(Self.list(names)).",
                "Point the parent's CNAME record to the name of the PTR record."
            )
        case .aliasLoop(let names):
            (
                "alias-loop", .error, "The aliases form a loop: \(Self.list(names)).",
                "Add a PTR record at the target of the parent's CNAME record."
            )
        default:
            (
                "no-alias", .error, "The parent has no CNAME record for the address.",
                "Add it to the parent zone, as for the other addresses."
            )
        }
    }

    private var pointerText: Text {
        switch kind {
        case .noPointer(let host):
            (
                "no-pointer", .error, "\(host.withoutDot) has the address, but the address has no PTR record.",
                "Add a PTR record, or remove the address from the host."
            )
        case .severalPointers(let names):
            (
                "several-pointers", .warning, "The address has \(names.count) PTR records: \(Self.list(names)).",
                "Keep the one with the name that the host uses; programs use any of them."
            )
        case .pointerToAlias(let name, let target):
            (
                "pointer-to-alias", .warning,
                "The PTR record names \(name.withoutDot), which is an alias of \(target.withoutDot).",
                "Use \(target.withoutDot) in it (RFC 1912 section 2.1)."
            )
        case .noForward(let name):
            (
                "no-forward", .error,
                "The PTR record names \(name.withoutDot), which has no address of this IP version.",
                "Add an address record to the forward zone, or name another host."
            )
        case .forwardMismatch(let name, let addresses):
            (
                "other-forward", .error,
                "The PTR record names \(name.withoutDot), which has only other addresses: \(addresses.map(\.description).joined(separator: ", ")).",
                "Correct the PTR record or the forward zone; mail servers reject an address whose name resolves to another one."
            )
        case .noAnswer(let name, let reason):
            (
                "no-answer", .error, "The servers could not answer for \(name.withoutDot): \(reason).",
                "Check the servers of its zone."
            )
        default: aliasText
        }
    }

    private var serverText: Text {
        switch kind {
        case .silentServer(let host, let address):
            (
                "silent-server", .error, "The name server \(host.withoutDot) at \(address) does not respond.",
                "Start it, allow UDP and TCP to its port 53, or remove it from both sides' NS records."
            )
        case .refusingServer(let host, let address, let code):
            (
                "refusing-server", .error,
                "The name server \(host.withoutDot) at \(address) answers \(code) for the zone.",
                "Configure the zone there, or remove the server from both sides' NS records."
            )
        case .notAuthoritative(let host, let address):
            (
                "not-authoritative", .error,
                "The name server \(host.withoutDot) at \(address) is not authoritative for the zone.",
                "Configure the zone there, or remove the server from both sides' NS records."
            )
        case .differentSerials(let serials):
            (
                "different-serials", .warning,
                "The name servers have different versions: "
                    + serials.sorted { $0.key.description < $1.key.description }.map {
                        "\($0.key.withoutDot) \($0.value)"
                    }
                    .joined(separator: ", ") + ".",
                "Check the zone transfers to the secondary servers, and that each change increases the serial."
            )
        case .differentServers(let parentOnly, let zoneOnly):
            (
                "different-servers", .warning,
                "The NS records of both sides differ: "
                    + [("only the parent has", parentOnly), ("only the zone has", zoneOnly)].filter { !$0.1.isEmpty }
                    .map { "\($0.0) \(Self.list($0.1))" }.joined(separator: ", ") + ".",
                "Give both sides the same NS records."
            )
        case .serverIsAlias(let host, let target):
            (
                "server-is-alias", .error, "The name server \(host.withoutDot) is an alias of \(target.withoutDot).",
                "Use \(target.withoutDot) in the NS records (RFC 2181 section 10.3)."
            )
        case .serverWithoutAddress(let host):
            (
                "server-without-address", .error, "The name server \(host.withoutDot) has no address.",
                "Add its address to the forward zone, or remove it from both sides' NS records."
            )
        default:
            (
                "one-server", .note, "The zone has only one name server.",
                "Add a second one on another network (RFC 2182)."
            )
        }
    }

    private var zoneText: Text {
        switch kind {
        case .notDelegated:
            (
                "not-delegated", .error, "CNAME records point into the zone, but the parent does not delegate it.",
                "Add its NS records to the parent zone."
            )
        case .unrelated:
            (
                "unrelated-zone", .error, "The zone contains no reverse name of the block, and none points into it.",
                "Check that the correct files were specified, or omit this one."
            )
        case .overlap(let other):
            (
                "overlap", .warning,
                "The parent also delegates \(other.withoutDot), which covers addresses of the block.",
                "Remove the unused delegation, or correct the CNAME records that point to it."
            )
        case .slashLabel:
            (
                "slash-label", .note, "The name of the zone contains a slash, which some tools and servers reject.",
                "Use a hyphen in the name if a tool on either side rejects it."
            )
        case .unusualTime(let name, let type, let seconds):
            (
                "unusual-ttl", .warning,
                "The \(type) records of \(name.withoutDot) have a time to live of \(seconds) seconds\(seconds == 0 ? ", so that resolvers do not cache them" : "").",
                "Choose a time between a minute and a week; an hour to a day is usual."
            )
        case .differentTimes(let name, let type):
            (
                "different-ttls", .warning, "The \(type) records of \(name.withoutDot) have different times to live.",
                "Use the same time for all of them (RFC 2181 section 5.2)."
            )
        case .shortExpiry(let authority):
            (
                "short-expiry", .warning,
                "The SOA record lets the zone expire after \(authority.expire) seconds, but has it refreshed after \(authority.refresh).",
                "Let it expire after one to four weeks (RFC 1912 section 2.2)."
            )
        case .serialAhead(let serial):
            (
                "serial-ahead", .note, "The serial \(serial) looks like a future date.",
                "Continue to increase it by 1 until that date."
            )
        default:
            (
                "nothing-found", .error, "No address of the block has a CNAME or PTR record.",
                "Plan the block, and send the parent its part."
            )
        }
    }

    private static func list(_ names: [DomainName]) -> String { names.map(\.withoutDot).joined(separator: ", ") }
}

extension DomainName {
    /// The name for use in a sentence, without a trailing dot.
    fileprivate var withoutDot: String { self == .root ? "." : String(description.dropLast()) }
}
