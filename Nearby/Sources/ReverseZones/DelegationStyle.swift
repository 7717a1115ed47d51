// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// How the names of a block reach the zone of who uses its addresses.
public enum DelegationStyle: Hashable, Sendable {
    /// CNAME records into a zone that is called after the first address and the length of the prefix: `64/27` (RFC 2317 section 4).
    case slash
    /// The same with a hyphen, for tools that refuse a slash: `64-27`.
    case hyphen
    /// The same, called after the first and the last address: `64-95`.
    case range
    /// The same, with a label of the user's choice.
    case label(String)
    /// CNAME records to names below a domain that the user of the addresses has anyway (RFC 2317 section 5.2).
    case domain(DomainName)
    /// A delegation of the reverse name that all addresses of the block are below, or of the few that make up the block.
    case zones
    /// A delegation of each address, without CNAME records.
    case addresses
    /// A DNAME record to a domain of the user's, for a block that is all below one reverse name (RFC 6672).
    case dname(DomainName)
}
