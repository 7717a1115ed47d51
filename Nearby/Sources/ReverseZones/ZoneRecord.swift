// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames

/// A record of a zone, as far as reverse zones have them.
public struct ZoneRecord: Hashable, Sendable {
    /// What the record says.
    public enum Value: Hashable, Sendable {
        case nameServer(DomainName)
        case alias(DomainName)
        /// DNAME: all names below the owner are found below another name.
        case subtreeAlias(DomainName)
        case pointer(DomainName)
        case address(IPAddress)
        case authority(StartOfAuthority)
    }

    /// The name that it is about.
    public let owner: DomainName
    /// What it says.
    public let value: Value

    /// A record of a name.
    public init(_ owner: DomainName, _ value: Value) { (self.owner, self.value) = (owner, value) }
}
