// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import DNSMessages
package import DNSNames

/// The name and type of a record set.
package struct RecordSetKey: Hashable, Sendable {
    package let name: DomainName
    package let type: DNSRecordType

    package init(_ name: DomainName, _ type: DNSRecordType) { (self.name, self.type) = (name, type) }
}

/// The identity of a record: everything except its time to live.
struct RecordKey: Hashable {
    let name: DomainName
    let data: DNSRecordData

    init(_ record: DNSRecord) { (name, data) = (record.name, record.data) }
}

extension DNSRecord {
    package var setKey: RecordSetKey { RecordSetKey(name, type) }
}
