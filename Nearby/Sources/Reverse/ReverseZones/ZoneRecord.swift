// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames

/// A record of a zone's file.
public struct ZoneRecord: Hashable, Sendable {
    /// The name that has the record.
    public let owner: DomainName
    /// The type and the data of the record.
    public let value: DNSRecordData
    /// For how long resolvers cache the record, in seconds; `nil` if its line leaves that to the zone.
    public let timeToLive: UInt32?

    /// Makes a record of a name.
    public init(_ owner: DomainName, _ value: DNSRecordData, timeToLive: UInt32? = nil) {
        (self.owner, self.value, self.timeToLive) = (owner, value, timeToLive)
    }

    /// The record as a line of a master file, with full names and without blanks that only align it.
    public var line: String {
        var text: [UInt8] = []
        ZoneFile.write(self, relativeTo: .root, to: &text)
        return String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
