// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import Challenges
internal import ErrorExplanations

/// A part of a keychain that cannot be opened or was changed by another program; all other parts can be read.
@nonexhaustive
public enum KeychainDamage: Hashable, Sendable {
    /// The item cannot be opened at all; the class is that of its row, `nil` if the row cannot be read either.
    case item(KeychainItem.ID, KeychainItem.Class?)
    /// The item's secret cannot be opened, but its other properties can be read.
    case secret(KeychainItem)
    /// The attachment of the note with this name cannot be opened.
    case attachment(String, of: KeychainItem)
    /// One of the items with these numbers was removed, added or reverted to an earlier version.
    case group(ClosedRange<Int64>)
    /// The index was changed by another program; items are found without it.
    case index
    /// The key slot with this number cannot be read.
    case slot(KeySlot.ID)
    /// The header, which authenticates all items and the epoch, cannot be verified; only
    /// ``UnlockedKeychain/repair(to:at:)`` reads such a file.
    case header

    /// The number of the item; `nil` for damage that affects several items or none.
    public var item: KeychainItem.ID? {
        switch self {
        case .item(let id, _): id
        case .secret(let item), .attachment(_, let item): item.id
        case .group, .index, .slot, .header: nil
        }
    }

    /// The error that functions throw if they need the damaged part.
    public var error: KeychainError {
        switch self {
        case .item(let id, _): .damagedItem(id)
        case .secret(let item): .damagedItem(item.id)
        case .attachment: .damaged(.attachment)
        case .group, .index: .damaged(.manifest)
        case .slot: .damaged(.slot)
        case .header: .damaged(.header)
        }
    }
}

extension KeychainDamage {
    /// A sentence about the damage, with the number of the item and its readable properties except secrets.
    public var message: String {
        switch self {
        case .item(let id, let itemClass):
            "Item \(id)\(itemClass.map { ", a \($0.words)" } ?? ""): it cannot be opened."
        case .secret(let item): "\(Self.name(item)): its secret cannot be opened."
        case .attachment(let name, let item):
            "\(Self.name(item)): its attachment \"\(name.printable)\" cannot be opened."
        case .group(let numbers):
            "Of the items from \(numbers.lowerBound)\(numbers.upperBound == .max ? "" : " to \(numbers.upperBound)"), one was removed, added or reverted to an earlier version."
        case .index: "The index is not as it was written. Items are found without it."
        case .slot(let id): "Slot \(id), an unlock method of the keychain, cannot be read."
        case .header: "The header is not as it was written, so nothing proves that this is the last state of all items."
        }
    }

    private static func name(_ item: KeychainItem) -> String {
        let names: [String?] =
            switch item.kind {
            case .genericPassword(let service, let account): [service, account]
            case .internetPassword(let space, let user):
                ["\(space.scheme)://\(space.host):\(space.port)", user]
            case .certificate(let facts, let setting, let hosts):
                [setting.rawValue, facts.subject, facts.fingerprint] + hosts
            case .identity(let facts, let hosts): [facts.subject, facts.fingerprint] + hosts
            case .note: []
            }
        let known = ([item.label] + names).compactMap(\.self).filter { !$0.isEmpty }
        return (["Item \(item.id), a \(item.kind.itemClass.words)"] + known).joined(separator: ", ").printable
    }
}

extension KeychainItem.Class {
    fileprivate var words: String {
        switch self {
        case .genericPassword: "password"
        case .internetPassword: "login"
        case .certificate: "certificate"
        case .identity: "client identity"
        case .note: "note"
        }
    }
}

/// The readable items that match a query, and the damage that was met.
public struct KeychainListing: Hashable, Sendable {
    /// The items, older ones first.
    public internal(set) var items: [KeychainItem] = []
    /// The damage; empty for none.
    public internal(set) var damage: [KeychainDamage] = []
}
