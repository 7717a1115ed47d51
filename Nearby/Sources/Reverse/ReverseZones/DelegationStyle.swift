// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// The ways in which a parent's zone leads from the reverse names of a block to the zone of the addresses' user.
public enum DelegationStyle: Hashable, Sendable {
    /// CNAME records into a zone that is called after the first address and the length of the prefix: `64/27` (RFC 2317 section 4).
    case slash
    /// CNAME records into a zone whose name has a hyphen in the place of the slash, for tools that refuse a slash: `64-27`.
    case hyphen
    /// CNAME records into a zone that is called after the first and the last address: `64-95`.
    case range
    /// CNAME records into a zone with a label of the user's choice, which is no number from 0 to 255.
    case label(String)
    /// CNAME records to names below another domain that the user of the addresses has (RFC 2317 section 5.2).
    case domain(DomainName)
    /// A delegation of the reverse name that all addresses of the block are below, or of the few that make up the block.
    case zones
    /// A delegation of each address, without CNAME records.
    case addresses
    /// A DNAME record to a domain of the user's, for a block that is all below one reverse name (RFC 6672).
    case dname(DomainName)
}
