// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import ErrorExplanations
import Keychain

/// One part of a keychain that is damaged, as JSON has it.
struct DamageReport: Encodable {
    /// The number of the item; `nil` where it is about more than one, or about none.
    private(set) var item: Int64?
    private(set) var itemClass: String?
    private(set) var label: String?
    /// Such as "secret".
    let part: String
    let message: String

    private enum CodingKeys: String, CodingKey {
        case item, label, part, message
        case itemClass = "class"
    }

    init(_ damage: KeychainDamage) {
        message = damage.message
        switch damage {
        case .item(let id, let itemClass):
            part = "item"
            (item, self.itemClass) = (id.number, itemClass?.name)
        case .secret(let found):
            part = "secret"
            take(found)
        case .attachment(_, let found):
            part = "attachment"
            take(found)
        case .group: part = "group"
        case .index: part = "index"
        case .slot: part = "slot"
        case .header: part = "header"
        }
    }

    private mutating func take(_ found: KeychainItem) {
        (item, itemClass, label) = (found.id.number, found.kind.itemClass.name, found.label)
    }
}

extension Console {
    /// Names the damage that a command met, on standard error.
    ///
    /// - Returns: The status of the command that did all the rest.
    func complain(of damage: [KeychainDamage]) -> CommandStatus {
        guard !damage.isEmpty else { return .done }
        complain(Failure(KeychainCommandError.partlyDamaged(damage.map(\.message))).text)
        return .failed
    }
}
