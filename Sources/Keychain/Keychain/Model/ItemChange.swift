// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import Challenges

/// The effect of storing an item.
public struct ItemChange: Hashable, Sendable {
    /// The kind of the effect.
    public enum Effect: Hashable, Sendable {
        /// The keychain had no such item.
        case added
        /// The keychain had the item with other contents, which were replaced.
        case changed
        /// The keychain had the item with the same contents.
        case equal
        /// The keychain had the item with other contents, which were kept.
        case kept
        /// A newer item of the same call is the same item with other contents, so that this one was not stored.
        case superseded
    }

    /// The kind of the effect.
    public let effect: Effect
    /// The item in the keychain; `nil` for an item that would be added, and for one that is in the call twice.
    public let item: KeychainItem?
    /// Damage that may be of the same item, so that the keychain may have it twice; empty for none.
    public let damage: [KeychainDamage]
}

/// The properties by which two items are the same.
enum ItemIdentity: Hashable {
    case genericPassword(service: String, account: String)
    case internetPassword(ProtectionSpace, user: String?)
    /// A certificate can be an anchor for some hosts and a pin for others, and a distrusted one stays so.
    case certificate(fingerprint: String, TrustSettings.Setting)
    case identity(fingerprint: String)
    /// Notes may share a title: two of them are the same only if their text and attachments are equal too.
    case note(title: String)

    init(_ kind: KeychainItem.Kind, label: String) {
        switch kind {
        case .genericPassword(let service, let account): self = .genericPassword(service: service, account: account)
        case .internetPassword(let space, let user): self = .internetPassword(space, user: user)
        case .certificate(let facts, let setting, _): self = .certificate(fingerprint: facts.fingerprint, setting)
        case .identity(let facts, _): self = .identity(fingerprint: facts.fingerprint)
        case .note: self = .note(title: label)
        }
    }
}

extension KeychainItem {
    var identity: ItemIdentity { ItemIdentity(kind, label: label) }

    /// Whether it was changed before another item, or within one second was added before it.
    package func isOlder(than other: KeychainItem) -> Bool { (modified, id) < (other.modified, other.id) }
}

extension NewItem {
    var identity: ItemIdentity { ItemIdentity(kind, label: label) }
}

extension [KeychainItem] {
    /// The item that was changed last; of several within one second the one that was added last.
    package var newest: KeychainItem? { self.max { $0.isOlder(than: $1) } }
}

extension [ItemChange] {
    /// The damage of all changes, each once.
    package var damage: [KeychainDamage] {
        var known: Set<KeychainDamage> = []
        return flatMap(\.damage).filter { known.insert($0).inserted }
    }
}
