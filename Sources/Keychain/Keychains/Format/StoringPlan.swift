// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import Identities
internal import Secrets
internal import X509

/// The steps that store items without creating duplicates.
struct StoringPlan {
    enum Action {
        case add(NewItem)
        case replace(KeychainItem, NewItem)
        case leave(ItemChange.Effect, KeychainItem?)
    }

    struct Step {
        var action: Action
        /// Damage that may affect the same item.
        var damage: [KeychainDamage] = []
    }

    /// The steps, one for each item, in the same order.
    private(set) var steps: [Step] = []
    private let replaces: Bool
    /// The results of queries, cached because many imported items may have the same origin.
    private var found: [KeychainQuery: KeychainListing] = [:]

    init(_ items: [NewItem], _ reader: inout KeychainReader, replaces: Bool) throws {
        self.replaces = replaces
        var places: [Repetition: Int] = [:]
        for (index, new) in items.enumerated() {
            let repetition = Repetition(new)
            if let place = places[repetition] {
                let earlier = items[place]
                guard !new.repeats(earlier) else {
                    steps.append(Step(action: .leave(.equal, nil)))
                    continue
                }
                guard !earlier.isNewer(than: new) else {
                    steps.append(Step(action: .leave(.superseded, nil)))
                    continue
                }
                steps[place] = Step(action: .leave(.superseded, nil))
            }
            places[repetition] = index
            steps.append(try step(for: new, &reader))
        }
    }

    /// Returns the stored item with the identity of a new one; `nil` if there is none, and for a note, because notes
    /// may share a title.
    ///
    /// - Throws: ``KeychainError/damagedItem(_:)`` and ``KeychainError/damaged(_:)`` if a damaged item may have that
    ///   identity.
    static func item(like new: NewItem, _ reader: inout KeychainReader) throws -> KeychainItem? {
        guard new.kind != .note else { return nil }
        let stored = try reader.usableItems(new.identityQuery)
        if let same = stored.items.filter({ $0.identity == new.identity }).newest { return same }
        if let damage = stored.damage.first(where: { $0.mayAffect(new.identity) }) { throw damage.error }
        return nil
    }

    private mutating func step(for new: NewItem, _ reader: inout KeychainReader) throws -> Step {
        let stored = try found[new.identityQuery] ?? reader.usableItems(new.identityQuery)
        found[new.identityQuery] = stored
        var same = stored.items.filter { $0.identity == new.identity }
        var damage = stored.damage.filter { $0.mayAffect(new.identity) }
        if new.kind == .note {
            let content = ItemCoding.secret(of: new)
            same = try same.filter { try Self.plaintext(of: $0, reader, &damage) == content }
        }
        guard let old = same.newest else { return Step(action: .add(try new.unwidened(by: damage)), damage: damage) }
        guard var plaintext = try Self.plaintext(of: old, reader, &damage) else {
            // The damaged item is not changed; the added item is newer, so it is used instead.
            var beside = try new.merged(into: old, nil)
            beside.modified = nil
            return Step(action: .add(try beside.unwidened(by: damage)), damage: damage)
        }
        defer { plaintext.erase() }
        let merged = try new.merged(into: old, plaintext)
        let isEqual =
            merged.kind == old.kind && merged.label == old.label && merged.comment == old.comment
            && merged.accessibility == old.accessibility && merged.isRejected == old.isRejected
            && ItemCoding.secret(of: merged) == plaintext
        guard !isEqual else { return Step(action: .leave(.equal, old), damage: damage) }
        return Step(action: replaces ? .replace(old, merged) : .leave(.retained, old), damage: damage)
    }

    /// Returns the secret of an item; `nil` if it is damaged, which is recorded.
    private static func plaintext(
        of item: KeychainItem, _ reader: KeychainReader, _ damage: inout [KeychainDamage]
    ) throws -> [UInt8]? {
        do {
            return try reader.plaintext(of: item)
        } catch KeychainError.damagedItem {
            if !damage.contains(.secret(item)) { damage.append(.secret(item)) }
            return nil
        }
    }
}

extension KeychainDamage {
    /// Returns whether the damage may affect an item with an identity.
    fileprivate func mayAffect(_ identity: ItemIdentity) -> Bool {
        if case .secret(let item) = self { item.identity == identity } else { true }
    }
}

/// The key by which duplicates within one call are found.
private struct Repetition: Hashable {
    let identity: ItemIdentity
    /// The content of a note.
    let content: [UInt8]?

    init(_ item: NewItem) {
        identity = item.identity
        content = item.kind == .note ? ItemCoding.secret(of: item) : nil
    }
}

extension NewItem {
    /// A query that finds the items with the same identity, and few others.
    fileprivate var identityQuery: KeychainQuery {
        var query = KeychainQuery(kind.itemClass)
        // An empty text matches no item, so the query omits it.
        switch kind {
        case .genericPassword(let service, let account):
            if !service.isEmpty { query.service = service } else if !account.isEmpty { query.account = account }
        case .internetPassword(let space, _): query.protectionSpace = space
        case .certificate(let facts, _, _), .identity(let facts, _): query.fingerprint = facts.fingerprint
        case .note: if !label.isEmpty { query.label = label }
        }
        return query
    }

    fileprivate func isNewer(than other: NewItem) -> Bool {
        guard let modified, let otherModified = other.modified else { return false }
        return modified > otherModified
    }

    /// Returns whether the item adds nothing to an earlier item of the same identity.
    fileprivate func repeats(_ earlier: NewItem) -> Bool {
        secret == earlier.secret && [earlier.label, ""].contains(label) && [earlier.comment, ""].contains(comment)
    }

    /// Returns the item itself, but throws if it is for all hosts and a damaged item, which may be the same, may be for
    /// some hosts only.
    ///
    /// - Throws: ``KeychainError/damagedItem(_:)``, ``KeychainError/damaged(_:)``.
    fileprivate func unwidened(by damage: [KeychainDamage]) throws(KeychainError) -> NewItem {
        switch kind {
        case .certificate(_, .anchor, hosts: []), .identity(_, hosts: []):
            let unknown = damage.first { if case .secret = $0 { false } else { true } }
            if let unknown { throw unknown.error }
            return self
        default: return self
        }
    }

    /// Fills in properties that this item does not specify from a stored item, whose secret is `nil` if it is damaged.
    ///
    /// - Throws: ``KeychainError/damaged(_:)``.
    fileprivate func merged(into old: KeychainItem, _ stored: [UInt8]?) throws -> NewItem {
        var merged = self
        if label.isEmpty { merged.label = old.label }
        if comment.isEmpty { merged.comment = old.comment }
        if keepsStoredAccessibility { merged.accessibility = old.accessibility }
        switch (kind, old.kind) {
        case (.certificate(let facts, let setting, let hosts), .certificate(_, _, let storedHosts)):
            merged.kind = .certificate(
                facts, setting, hosts: Self.union(storedHosts, hosts, widens: setting != .anchor))
        case (.identity(let facts, let hosts), .identity(_, let storedHosts)):
            merged.kind = .identity(facts, hosts: Self.union(storedHosts, hosts, widens: false))
            // A file with only the leaf certificate does not remove the stored issuers.
            if let stored, case .identity(let identity) = try ItemCoding.secret(stored, of: .identity),
                let new = try? Identity(pem: secret), Set(new.chain).isSubset(of: identity.chain)
            {
                merged.secret = try identity.pemEncodedChain + identity.pemEncodedPrivateKey
            }
        default: break
        }
        return merged
    }

    /// Returns the hosts of both items, in which an empty list means all hosts.
    ///
    /// An empty new list replaces stored hosts only if `widens` is set, which it is not for anchors and identities.
    private static func union(_ stored: [String], _ new: [String], widens: Bool) -> [String] {
        if new.isEmpty, !stored.isEmpty { return widens ? [] : stored }
        return stored.isEmpty ? [] : stored + new.filter { !stored.contains($0) }
    }
}
