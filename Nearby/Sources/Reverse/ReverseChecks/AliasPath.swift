// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

/// The chain of aliases from a name to the name with the records.
struct AliasPath: Hashable {
    /// The targets of the aliases, in order.
    let targets: [DomainName]
    /// Whether an alias points to an earlier name of the chain.
    let isLoop: Bool

    /// The maximum length of a chain, above which it counts as a loop; resolvers have similar limits.
    static let limit = 16

    /// Follows the CNAME records of an answer, including those synthesized from a DNAME record (RFC 6672 section 3.1).
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
    /// The name without its first label; the parent of the root is the root.
    var parent: DomainName { (try? DomainName(labels: Array(labels.dropFirst()))) ?? .root }

    /// The name and its ancestors up to the root.
    var ancestors: [DomainName] {
        (0...labels.count).map { (try? DomainName(labels: Array(labels.dropFirst($0)))) ?? .root }
    }

    /// Returns the name with the suffix `old` replaced by `new`; `nil` if the name is not within `old`.
    func moved(from old: DomainName, to new: DomainName) -> DomainName? {
        guard isWithin(old) else { return nil }
        return try? DomainName(labels: Array(labels.dropLast(old.labels.count)) + new.labels)
    }
}
