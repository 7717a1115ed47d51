// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

/// The aliases that lead from a name to the one with the records.
struct AliasPath: Hashable {
    /// The names that aliases lead to, in their order.
    let targets: [DomainName]
    /// Whether an alias leads back to a name that was passed already.
    let isLoop: Bool

    /// More aliases are taken for a loop; resolvers follow about as many.
    static let limit = 16

    /// Follows the CNAME records of an answer; those of a DNAME record are among them (RFC 6672 section 3.1).
    init(from name: DomainName, _ records: [DNSRecord]) {
        var (targets, current, seen) = ([DomainName](), name, Set([name]))
        while targets.count < Self.limit, let next = Self.target(of: current, records) {
            targets.append(next)
            guard seen.insert(next).inserted else {
                (self.targets, isLoop) = (targets, true)
                return
            }
            current = next
        }
        (self.targets, isLoop) = (targets, targets.count == Self.limit)
    }

    private static func target(of name: DomainName, _ records: [DNSRecord]) -> DomainName? {
        for record in records {
            if case .alias(let target) = record.data, record.name == name { return target }
        }
        return nil
    }
}

extension DomainName {
    /// The name without its first label; that of the root is the root.
    var parent: DomainName { (try? DomainName(labels: Array(labels.dropFirst()))) ?? .root }

    /// The name and those above it, up to the root.
    var ancestors: [DomainName] {
        (0...labels.count).map { (try? DomainName(labels: Array(labels.dropFirst($0)))) ?? .root }
    }

    /// Below another name what it is below a name now.
    func moved(from old: DomainName, to new: DomainName) -> DomainName? {
        guard isWithin(old) else { return nil }
        return try? DomainName(labels: Array(labels.dropLast(old.labels.count)) + new.labels)
    }
}
