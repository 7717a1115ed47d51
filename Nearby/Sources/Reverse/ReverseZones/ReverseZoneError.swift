// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error in planning reverse zones or reading a zone file.
public enum ReverseZoneError: Error, Hashable {
    /// The text is not an address block. Holds the text.
    case malformedBlock(String)
    /// The address in the text of a block is not the first address of the block. Holds the text and the first address.
    case addressWithinBlock(String, first: String)
    /// Two blocks overlap. Holds both.
    case overlap(String, String)
    /// Two blocks belong to different parent zones. Holds both.
    case parentMismatch(String, String)
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
    case missingZone(String)
    /// A file does not specify its zone name.
    case unnamedZone
    /// An existing file belongs to a different zone than the planned file, or has no SOA record. Holds the names of
    /// both zones.
    case zoneMismatch(String, expected: String)
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
                "reverse.malformed-block", "\"\(text)\" is not an address block.",
                reason: "A block is an address, a slash, and the prefix length in bits.",
                advice: "Write it as 192.0.2.64/27 or 2001:db8::/48.")
        case .addressWithinBlock(let text, let first):
            ErrorExplanation(
                "reverse.address-within-block", "\(text) contains an address that is not the first one of its block.",
                reason: "The bits after the prefix are not zero.", advice: "Start the block at \(first).")
        case .overlap(let one, let other):
            ErrorExplanation(
                "reverse.overlap", "The blocks \(one) and \(other) have addresses in common.",
                reason: "An address can be delegated only once.", advice: "Omit one of them, or split the larger one.")
        case .parentMismatch(let one, let other):
            ErrorExplanation(
                "reverse.other-parent", "The blocks \(one) and \(other) belong to different parent zones.",
                reason: "Their reverse names are below different zones.", advice: "Plan them one by one.")
        case .sharedZone(let zone):
            ErrorExplanation(
                "reverse.shared-zone", "Blocks of different parent zones would share the zone \(zone).",
                reason: "Different addresses could get the same name in it.",
                advice: "Plan them one by one, each with another domain.")
        case .labelOfAddress(let label):
            ErrorExplanation(
                "reverse.label-of-address", "The label \"\(label)\" is that of an address.",
                reason: "A name with a CNAME record can have no other record, so it cannot also be delegated.",
                advice: "Choose a label other than a number from 0 to 255.")
        case .malformedLabel(let label):
            ErrorExplanation(
                "reverse.malformed-label", "\"\(label)\" cannot be the label of a zone.",
                reason: "A label has 1 to 63 letters, digits, hyphens, slashes or underscores here.",
                advice: "Choose another label.")
        case .styleNotApplicable(let reason, let block):
            ErrorExplanation(
                "reverse.style", "The block \(block) cannot be delegated in this style: \(reason).",
                reason: "Each style is for blocks of certain sizes.", advice: "Choose another style.")
        case .noNameServers:
            ErrorExplanation(
                "reverse.no-name-servers", "No name server was specified.",
                reason: "A delegation is the list of the zone's servers.",
                advice: "Specify at least one, preferably two.")
        case .missingZone(let block):
            ErrorExplanation(
                "reverse.zone-not-given", "No file contains the reverse names of the block \(block).",
                reason:
                    "The parent zone is identified by its SOA record, or by the absolute name of its first $ORIGIN.",
                advice: "Specify the file of the parent zone, and its zone if the file does not contain it.")
        case .unnamedZone:
            ErrorExplanation(
                "reverse.unnamed-zone", "The zone file does not specify its zone.",
                reason: "It has neither an SOA record nor an $ORIGIN with an absolute name.",
                advice: "Specify the zone, or start the file with $ORIGIN and the absolute name.")
        case .zoneMismatch(let zone, let expected):
            ErrorExplanation(
                "reverse.other-zone", "The file belongs to the zone \(zone), and has no SOA record of \(expected).",
                reason: "Records are only added to a file of the planned zone.",
                advice: "Move the file away, or plan into another folder.")
        case .conflict(let new, let existing):
            ErrorExplanation(
                "reverse.conflict", "\"\(new)\" cannot be added, because the name already has \"\(existing)\".",
                reason: "A name with a CNAME record has no other record (RFC 1034 section 3.6.2).",
                advice: "Remove the unneeded record from the file, or correct the hosts.")
        case .hostOutsideBlock(let address, let block):
            ErrorExplanation(
                "reverse.host-outside", "The address \(address) is not in the block \(block).",
                reason: "Its name is in another zone.", advice: "Leave it out, or plan its block too.")
        case .malformedLine(let line, let reason):
            ErrorExplanation(
                "reverse.malformed-line", "Line \(line) cannot be read: \(reason).",
                reason: "The file must have the format of RFC 1035 section 5, or of hosts files.",
                advice: "Correct the line.")
        case .tooManyRecords(let limit):
            ErrorExplanation(
                "reverse.too-many", "There are more than \(limit) records.",
                reason: "More records could exhaust the memory.", advice: "Plan smaller blocks.")
        }
    }
}

extension ReverseZoneError {
    /// An example of each error code, for `docs/reference/errors-nearby.md` and `countersign explain`.
    package static var examples: [Self] {
        let block = "206.126.7.64/27"
        return [
            .malformedBlock("206.126.7"), .addressWithinBlock("206.126.7.65/27", first: block),
            .overlap(block, "206.126.7.0/24"), .parentMismatch(block, "198.51.100.0/27"),
            .sharedZone("reverse.example.net"), .labelOfAddress("64"), .malformedLabel("a b"),
            .styleNotApplicable("it is a complete /24", block: "206.126.7.0/24"), .noNameServers, .missingZone(block),
            .unnamedZone, .zoneMismatch("7.126.206.in-addr.arpa.", expected: "64-27.7.126.206.in-addr.arpa."),
            .conflict("66 CNAME a.example.net.", existing: "66 PTR b.example.net."),
            .hostOutsideBlock("206.126.7.1", block: block), .malformedLine(3, "a record without a type"),
            .tooManyRecords(limit: 1_048_576),
        ]
    }
}
