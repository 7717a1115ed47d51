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
        case .noPointer, .severalPointers, .pointerToAlias, .noForward, .otherForward, .noAnswer: pointerText
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
                "Put a CNAME record in its place, as for the other addresses."
            )
        case .wrongAlias(let target, let expected):
            (
                "wrong-alias", .error, "The CNAME record leads to \(target.withoutDot), not to \(expected.withoutDot).",
                "Correct the CNAME record in the parent's zone."
            )
        case .aliasChain(let names):
            (
                "alias-chain", .warning, "\(names.count) aliases follow each other: \(Self.list(names)).",
                "Let the parent's CNAME record lead to the name of the PTR record."
            )
        case .aliasLoop(let names):
            (
                "alias-loop", .error, "The aliases lead in a circle: \(Self.list(names)).",
                "Put a PTR record where the parent's CNAME record leads to."
            )
        default:
            (
                "no-alias", .error, "The parent has no CNAME record for the address.",
                "Add it to the parent's zone, as for the other addresses."
            )
        }
    }

    private var pointerText: Text {
        switch kind {
        case .noPointer(let host):
            (
                "no-pointer", .error, "\(host.withoutDot) has the address, but the address has no PTR record.",
                "Add a PTR record, or take the address away from the host."
            )
        case .severalPointers(let names):
            (
                "several-pointers", .warning, "The address has \(names.count) PTR records: \(Self.list(names)).",
                "Keep the one with the name that the host uses; programs take any of them."
            )
        case .pointerToAlias(let name, let target):
            (
                "pointer-to-alias", .warning,
                "The PTR record names \(name.withoutDot), which is an alias of \(target.withoutDot).",
                "Name \(target.withoutDot) in it (RFC 1912 section 2.1)."
            )
        case .noForward(let name):
            (
                "no-forward", .error, "The PTR record names \(name.withoutDot), which has no address of this kind.",
                "Add an address record to the forward zone, or name another host."
            )
        case .otherForward(let name, let addresses):
            (
                "other-forward", .error,
                "The PTR record names \(name.withoutDot), whose addresses are others: \(addresses.map(\.description).joined(separator: ", ")).",
                "Correct the PTR record or the forward zone; mail servers refuse an address whose name leads elsewhere."
            )
        case .noAnswer(let name, let reason):
            (
                "no-answer", .error, "The servers do not say what \(name.withoutDot) has: \(reason).",
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
                "Start it, open UDP and TCP port 53 to it, or take it out of both sides' NS records."
            )
        case .refusingServer(let host, let address, let code):
            (
                "refusing-server", .error,
                "The name server \(host.withoutDot) at \(address) answers \(code) for the zone.",
                "Configure the zone there, or take the server out of both sides' NS records."
            )
        case .notAuthoritative(let host, let address):
            (
                "not-authoritative", .error,
                "The name server \(host.withoutDot) at \(address) has no authority for the zone.",
                "Configure the zone there, or take the server out of both sides' NS records."
            )
        case .differentSerials(let serials):
            (
                "different-serials", .warning,
                "The name servers have different versions: "
                    + serials.sorted { $0.key.description < $1.key.description }.map {
                        "\($0.key.withoutDot) \($0.value)"
                    }
                    .joined(separator: ", ") + ".",
                "Check the zone transfers to the secondary servers, and that each change raises the serial."
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
                "Name \(target.withoutDot) in the NS records (RFC 2181 section 10.3)."
            )
        case .serverWithoutAddress(let host):
            (
                "server-without-address", .error, "The name server \(host.withoutDot) has no address.",
                "Add its address to the forward zone, or take it out of both sides' NS records."
            )
        default:
            (
                "one-server", .note, "The zone has one name server only.",
                "Add a second one in another network (RFC 2182)."
            )
        }
    }

    private var zoneText: Text {
        switch kind {
        case .notDelegated:
            (
                "not-delegated", .error, "CNAME records lead into the zone, but the parent does not delegate it.",
                "Add its NS records to the parent's zone."
            )
        case .unrelated:
            (
                "unrelated-zone", .error, "No reverse name of the block is in the zone, or leads there.",
                "Check that the right files were given, or leave this one out."
            )
        case .overlap(let other):
            (
                "overlap", .warning, "The parent delegates \(other.withoutDot) too, which has addresses of the block.",
                "Take out the delegation that is not used, or correct the CNAME records that lead there."
            )
        case .slashLabel:
            (
                "slash-label", .note, "The name of the zone has a slash, which some tools and servers refuse.",
                "Use a hyphen in the name if a tool on either side refuses it."
            )
        case .unusualTime(let name, let type, let seconds):
            (
                "unusual-ttl", .warning,
                "The \(type) records of \(name.withoutDot) are kept for \(seconds) seconds\(seconds == 0 ? ", so that each resolver asks each time" : "").",
                "Choose between a minute and a week; an hour to a day is usual."
            )
        case .differentTimes(let name, let type):
            (
                "different-ttls", .warning, "The \(type) records of \(name.withoutDot) are kept for different times.",
                "Give all of them the same time (RFC 2181 section 5.2)."
            )
        case .shortExpiry(let authority):
            (
                "short-expiry", .warning,
                "The SOA record lets the zone expire after \(authority.expire) seconds, but has it refreshed after \(authority.refresh).",
                "Let it expire after one to four weeks (RFC 1912 section 2.2)."
            )
        case .serialAhead(let serial):
            (
                "serial-ahead", .note, "The serial \(serial) looks like a day that is to come.",
                "Go on adding 1, until the day has come."
            )
        default:
            (
                "nothing-found", .error, "No address of the block has a CNAME or PTR record.",
                "Plan the block and give the parent its part."
            )
        }
    }

    private static func list(_ names: [DomainName]) -> String { names.map(\.withoutDot).joined(separator: ", ") }
}

extension DomainName {
    /// The name for use in a sentence, without a trailing dot.
    fileprivate var withoutDot: String { self == .root ? "." : String(description.dropLast()) }
}
