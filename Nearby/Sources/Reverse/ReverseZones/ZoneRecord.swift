// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames

/// A record in a zone file.
public struct ZoneRecord: Hashable, Sendable {
    /// The owner name of the record.
    public let owner: DomainName
    /// The type and the data of the record.
    public let value: DNSRecordData
    /// The time to live, in seconds; `nil` if the line does not specify one.
    public let timeToLive: UInt32?

    /// Creates a record.
    public init(_ owner: DomainName, _ value: DNSRecordData, timeToLive: UInt32? = nil) {
        (self.owner, self.value, self.timeToLive) = (owner, value, timeToLive)
    }

    /// The record as a line of a master file, with absolute names and without alignment.
    public var line: String {
        var text: [UInt8] = []
        ZoneFile.write(self, relativeTo: .root, to: &text)
        return String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
