// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import CommandSupport
import ErrorExplanations
import Foundation
import Keychains
import Secrets

/// The logins of a `.netrc` file.
struct NetrcLogins {
    /// The logins of entries with a machine, for TLS at port 443 as with `get --netrc`.
    private(set) var items: [NewItem] = []
    /// The descriptions of omitted entries.
    private(set) var omissions: [String] = []

    /// - Throws: `NetrcError`.
    init(_ bytes: [UInt8], _ options: ItemOptions) throws {
        for entry in try NetrcFile(bytes).entries {
            guard let machine = entry.machine else {
                omissions.append("the entry 'default', which names no server")
                continue
            }
            guard let password = entry.password else {
                omissions.append("the entry of \(machine.printable), which has no password")
                continue
            }
            guard let space = try? LoginSpace.space("https://" + machine, realm: nil, method: nil, isProxy: false)
            else {
                omissions.append("the entry of \(machine.printable), which is no host")
                continue
            }
            var item = NewItem.internetPassword(
                password, user: entry.login ?? "", space: space, accessibility: options.accessibility)
            item.keepsStoredAccessibility = !options.namesAccessibility
            items.append(item)
        }
    }
}

extension PasswordList.Login {
    /// Returns a login for each server of the URL, or a program's password if the URL is not a server's.
    func items(_ options: ItemOptions) -> [NewItem] {
        let isServer =
            details[.kind].map { $0 != "password" }
            ?? ["http://", "https://"].contains { url.lowercased().hasPrefix($0) }
        var spaces: [ProtectionSpace] = []
        for url in isServer ? urls : [] {
            let space = try? LoginSpace.space(
                url, realm: realm, method: details[.method], isProxy: details[.proxy] == "yes")
            if let space, !spaces.contains(space) { spaces.append(space) }
        }
        let accessibility = accessibility(options)
        var items = spaces.map { space in
            NewItem.internetPassword(
                password, user: details[.kind] == "token" ? nil : user, space: space, label: title, comment: note,
                accessibility: accessibility ?? options.accessibility)
        }
        if items.isEmpty {
            items = [
                .genericPassword(
                    password, service: url.isEmpty && details[.kind] == nil ? title : url, account: user, label: title,
                    comment: note, accessibility: accessibility ?? options.accessibility)
            ]
        }
        for index in items.indices {
            items[index].isRejected = details[.rejected] == "yes"
            items[index].keepsStoredAccessibility = accessibility == nil && !options.namesAccessibility
            (items[index].created, items[index].modified) = (created, modified ?? created)
        }
        return items
    }

    /// The URLs, which Bitwarden writes into one field, separated by commas.
    private var urls: [String] {
        let parts = url.split(separator: ",").map(String.init)
        return parts.count > 1 && parts.allSatisfy { $0.contains("://") } ? parts : [url]
    }

    /// Returns the accessibility from the file, or `nil` if the file has none or the user sets another one.
    private func accessibility(_ options: ItemOptions) -> KeychainItem.Accessibility? {
        guard !options.namesAccessibility,
            let availability = details[.readable].flatMap(KeychainItem.Accessibility.Availability.init)
        else { return nil }
        let accessibility: KeychainItem.Accessibility =
            availability == .whenUnlocked ? .whenUnlocked : .afterFirstUnlock
        return details[.deviceOnly] == "yes" ? accessibility.thisDeviceOnly : accessibility
    }
}

/// A CSV table of every login and password, as Chrome writes it (RFC 4180), with additional columns for other
/// properties.
struct LoginTable {
    private(set) var bytes: [UInt8]
    /// The descriptions of items that are not in the table.
    private(set) var omissions: [String] = []

    /// The damage to items that are therefore missing from the table.
    let damage: [KeychainDamage]

    init(_ keychain: UnlockedKeychain) async throws {
        bytes = Self.line(PasswordList.header.map { Array($0.utf8) })
        var others: [KeychainItem.Class: Int] = [:]
        let found = try await keychain.contents(of: KeychainQuery()) { ($0.item, try Self.password($0)) }
        damage = found.damage
        for (item, password) in found.values {
            switch password {
            case .known(let password): bytes += Self.line(Self.fields(of: item, password))
            case .elsewhere:
                omissions.append(
                    "item \(item.id) (\(ItemReport(item).title)), which can be read on another device only")
            case .none: others[item.kind.itemClass, default: 0] += 1
            }
        }
        for itemClass in KeychainItem.Class.allCases {
            guard let count = others[itemClass] else { continue }
            let one = itemClass.words
            let several = one == "identity" ? "identities" : one + "s"
            omissions.append("\(count) \(count == 1 ? one : several), which 'export ITEM' writes one by one")
        }
    }

    private enum Password {
        case known(Secret)
        case elsewhere
    }

    /// Returns the password of an item, or `nil` for an item of another class.
    private static func password(_ contents: ItemContents) throws -> Password? {
        switch contents.item.kind {
        case .genericPassword, .internetPassword: break
        case .certificate, .identity, .note: return nil
        }
        do {
            guard case .password(let password) = try contents.secret else { return nil }
            return .known(password)
        } catch KeychainError.notOnThisDevice {
            return .elsewhere
        }
    }

    /// Returns the fields in the order of `PasswordList.header`.
    private static func fields(of item: KeychainItem, _ password: Secret) -> [[UInt8]] {
        let report = ItemReport(item)
        var (realm, details) = ("", [PasswordList.Detail: String]())
        switch item.kind {
        case .internetPassword(let space, let user):
            realm = space.realm ?? ""
            details[.kind] = user == nil ? "token" : "login"
            details[.scope] = space.realm == nil ? "server" : "realm"
            details[.method] = report.method
            details[.proxy] = space.role == .proxy ? "yes" : nil
        default: details[.kind] = "password"
        }
        details[.rejected] = item.isRejected ? "yes" : nil
        details[.readable] = report.accessibility
        details[.deviceOnly] = report.isThisDeviceOnly ? "yes" : nil
        let texts = { (texts: [String]) in texts.map { Array($0.utf8) } }
        return texts([report.label, report.place, report.account ?? ""]) + [password.withUnsafeBytes { Array($0) }]
            + texts([report.comment, realm, report.created.formatted(.iso8601), report.modified.formatted(.iso8601)])
            + texts(PasswordList.Detail.allCases.map { details[$0] ?? "" })
    }

    private static func line(_ fields: [[UInt8]]) -> [UInt8] {
        Array(fields.map(quoted).joined(separator: Array(",".utf8))) + Array("\r\n".utf8)
    }

    private static func quoted(_ field: [UInt8]) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        guard field.contains(where: { "\",\r\n".utf8.contains($0) }) else { return field }
        return [quote] + field.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
    }
}
