// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import Challenges
internal import ErrorExplanations

/// A part of a keychain that cannot be opened, or that is not as it was written; all others can be read.
@nonexhaustive
public enum KeychainDamage: Hashable, Sendable {
    /// Nothing of the item can be opened; the class is that of its row, `nil` if that cannot be read either.
    case item(KeychainItem.ID, KeychainItem.Class?)
    /// The item's secret cannot be opened; everything else of it can.
    case secret(KeychainItem)
    /// The note's attachment of this name cannot be opened.
    case attachment(String, of: KeychainItem)
    /// One of the items with these numbers was removed, added or put back to an earlier version.
    case group(ClosedRange<Int64>)
    /// The index is not as it was written; items are found without it.
    case index
    /// The key slot with this number cannot be read.
    case slot(KeySlot.ID)
    /// The header, which vouches for all items and for the epoch; only ``UnlockedKeychain/repair(to:at:)`` reads such a file.
    case header

    /// The number of the item; `nil` for damage of several items, or of none.
    public var item: KeychainItem.ID? {
        switch self {
        case .item(let id, _): id
        case .secret(let item), .attachment(_, let item): item.id
        case .group, .index, .slot, .header: nil
        }
    }

    /// The damage as an error of a function that needs the part.
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
    /// A sentence about the damage, with the number of the item and all that can be read of it but secrets.
    public var message: String {
        switch self {
        case .item(let id, let itemClass):
            "Item \(id)\(itemClass.map { ", a \($0.words)" } ?? ""): nothing of it can be opened."
        case .secret(let item): "\(Self.name(item)): its secret cannot be opened."
        case .attachment(let name, let item):
            "\(Self.name(item)): its attachment \"\(name.printable)\" cannot be opened."
        case .group(let numbers):
            "Of the items from \(numbers.lowerBound)\(numbers.upperBound == .max ? "" : " to \(numbers.upperBound)"), one was removed, added or put back to an earlier version."
        case .index: "The index is not as it was written. Items are found without it."
        case .slot(let id): "Slot \(id), a way to unlock the keychain, cannot be read."
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

/// The items of a query that can be read, and the damage that was met.
public struct KeychainListing: Hashable, Sendable {
    /// The items, older ones first.
    public internal(set) var items: [KeychainItem] = []
    /// The damage; empty for none.
    public internal(set) var damage: [KeychainDamage] = []
}
