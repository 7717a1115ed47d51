// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// The styles in which a parent zone delegates the reverse names of a block to the address holder's zone.
public enum DelegationStyle: Hashable, Sendable {
    /// CNAME records into a zone named after the first address and the prefix length: `64/27` (RFC 2317 section 4).
    case slash
    /// CNAME records into a zone whose name has a hyphen instead of the slash, for tools that reject a slash: `64-27`.
    case hyphen
    /// CNAME records into a zone named after the first and last address: `64-95`.
    case range
    /// CNAME records into a zone with a custom label, which must not be a number from 0 to 255.
    case label(String)
    /// CNAME records to names below another domain of the address holder (RFC 2317 section 5.2).
    case domain(DomainName)
    /// A delegation of the reverse name of the block, or of each of its few parts at a label boundary.
    case zones
    /// A delegation of each address, without CNAME records.
    case addresses
    /// A DNAME record to another domain of the address holder, for a block with its own reverse name (RFC 6672).
    case dname(DomainName)
}
