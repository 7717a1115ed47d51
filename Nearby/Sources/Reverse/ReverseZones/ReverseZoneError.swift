// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error of planning reverse zones or of reading a zone file.
public enum ReverseZoneError: Error, Hashable {
    /// The text is not an address block. Holds the text.
    case malformedBlock(String)
    /// The address in the text of a block is not the first address of the block. Holds the text and the first address.
    case addressWithinBlock(String, first: String)
    /// Two blocks overlap. Holds both.
    case overlap(String, String)
    /// Two blocks belong to different parent zones. Holds both.
    case otherParent(String, String)
    /// Blocks with different parents would share a zone. Holds the zone.
    case sharedZone(String)
    /// The label of a delegation equals that of an address, so that its NS records would have the same owner as a CNAME
    /// record.
    case labelOfAddress(String)
    /// The label is empty or too long, or has characters other than letters, digits, hyphens, slashes and underscores.
    case malformedLabel(String)
    /// The style cannot be used for the block. Holds the reason and the block.
    case styleNotApplicable(String, block: String)
    /// The style requires at least one name server, but none was specified.
    case noNameServers
    /// No file contains the zone with the reverse names of the block. Holds the block.
    case zoneNotGiven(String)
    /// A file does not specify its zone name.
    case unnamedZone
    /// An existing file belongs to a different zone than the planned file, or has no SOA record. Holds the names of
    /// both zones.
    case otherZone(String, expected: String)
    /// A planned record cannot coexist with an existing record, because one of them is a CNAME record. Holds both.
    case conflict(String, existing: String)
    /// The address of a host is outside the block. Holds both.
    case hostOutsideBlock(String, block: String)
    /// A line of a file is malformed. Holds the line number, starting at 1, and the reason.
    case malformedLine(Int, String)
    /// The number of records exceeds the limit. Holds the limit.
    case tooManyRecords(limit: Int)
}

extension ReverseZoneError: ExplainedError {
    /// An explanation of the error: its cause, its meaning and a remedy.
    public var explanation: ErrorExplanation {
        switch self {
        case .malformedBlock(let text):
            ErrorExplanation(
                "reverse.malformed-block", "\"\(text)\" is no block of addresses.",
                reason: "A block is an address, a slash, and how many bits all its addresses have in common.",
                advice: "Write it as 192.0.2.64/27 or 2001:db8::/48.")
        case .addressWithinBlock(let text, let first):
            ErrorExplanation(
                "reverse.address-within-block", "\(text) names an address that is not the first of its block.",
                reason: "The bits after the prefix are not zero.", advice: "Begin the block at \(first).")
        case .overlap(let one, let other):
            ErrorExplanation(
                "reverse.overlap", "The blocks \(one) and \(other) have addresses in common.",
                reason: "An address is delegated once.", advice: "Leave out one of them, or split the larger one.")
        case .otherParent(let one, let other):
            ErrorExplanation(
                "reverse.other-parent", "The blocks \(one) and \(other) are not of the same zone of the parent.",
                reason: "Their names are below different zones.", advice: "Plan them one by one.")
        case .sharedZone(let zone):
            ErrorExplanation(
                "reverse.shared-zone", "Blocks of different zones of the parent would share the zone \(zone).",
                reason: "Addresses that end alike would get the same name in it.",
                advice: "Plan them one by one, each with another domain.")
        case .labelOfAddress(let label):
            ErrorExplanation(
                "reverse.label-of-address", "The label \"\(label)\" is that of an address.",
                reason: "A name that has a CNAME record can have no other record, so it cannot be delegated too.",
                advice: "Choose a label that is no number from 0 to 255.")
        case .malformedLabel(let label):
            ErrorExplanation(
                "reverse.malformed-label", "\"\(label)\" cannot be the label of a zone.",
                reason: "A label has 1 to 63 letters, digits, hyphens, slashes or underscores here.",
                advice: "Choose another label.")
        case .styleNotApplicable(let reason, let block):
            ErrorExplanation(
                "reverse.style", "The block \(block) cannot be delegated in this style: \(reason).",
                reason: "The styles are for blocks of different sizes.", advice: "Choose another style.")
        case .noNameServers:
            ErrorExplanation(
                "reverse.no-name-servers", "No name server was given.",
                reason: "A delegation is a list of the servers that have the zone.",
                advice: "Give one at least, better two.")
        case .zoneNotGiven(let block):
            ErrorExplanation(
                "reverse.zone-not-given", "No file has the reverse names of the block \(block).",
                reason: "The parent's zone is known by its SOA record, or by the full name of its first $ORIGIN.",
                advice: "Name the file of the parent's zone, and the zone where the file does not.")
        case .unnamedZone:
            ErrorExplanation(
                "reverse.unnamed-zone", "The file of a zone does not say which zone it is.",
                reason: "Neither an SOA record nor an $ORIGIN in it has a full name.",
                advice: "Name the zone, or begin the file with $ORIGIN and the full name.")
        case .otherZone(let zone, let expected):
            ErrorExplanation(
                "reverse.other-zone", "The file is of the zone \(zone), and has no SOA record of \(expected).",
                reason: "Records are added only to a file of the planned zone.",
                advice: "Move the file away, or plan into another folder.")
        case .conflict(let new, let existing):
            ErrorExplanation(
                "reverse.conflict", "\"\(new)\" cannot be added, because the name already has \"\(existing)\".",
                reason: "A name with a CNAME record has no other record (RFC 1034 section 3.6.2).",
                advice: "Remove the record that is not needed from the file, or correct the hosts.")
        case .hostOutsideBlock(let address, let block):
            ErrorExplanation(
                "reverse.host-outside", "The address \(address) is not in the block \(block).",
                reason: "Its name is in another zone.", advice: "Leave it out, or plan its block too.")
        case .malformedLine(let line, let reason):
            ErrorExplanation(
                "reverse.malformed-line", "Line \(line) cannot be read: \(reason).",
                reason: "The file is in the form of RFC 1035 section 5, or of hosts files.",
                advice: "Correct the line.")
        case .tooManyRecords(let limit):
            ErrorExplanation(
                "reverse.too-many", "There are more than \(limit) records.",
                reason: "So many would fill the memory.", advice: "Plan smaller blocks.")
        }
    }
}

extension ReverseZoneError {
    /// An example of each error code, for `docs/reference/errors-nearby.md` and `countersign explain`.
    package static var examples: [Self] {
        let block = "206.126.7.64/27"
        return [
            .malformedBlock("206.126.7"), .addressWithinBlock("206.126.7.65/27", first: block),
            .overlap(block, "206.126.7.0/24"), .otherParent(block, "198.51.100.0/27"),
            .sharedZone("reverse.example.net"), .labelOfAddress("64"), .malformedLabel("a b"),
            .styleNotApplicable("it is a whole /24", block: "206.126.7.0/24"), .noNameServers, .zoneNotGiven(block),
            .unnamedZone, .otherZone("7.126.206.in-addr.arpa.", expected: "64-27.7.126.206.in-addr.arpa."),
            .conflict("66 CNAME a.example.net.", existing: "66 PTR b.example.net."),
            .hostOutsideBlock("206.126.7.1", block: block), .malformedLine(3, "a record without a type"),
            .tooManyRecords(limit: 1_048_576),
        ]
    }
}
