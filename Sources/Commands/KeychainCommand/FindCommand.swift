// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import ErrorExplanations
import Keychains

/// `countersign keychain find`.
struct FindCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "List the items that match all options; without options, all items.",
        discussion: """
            The options compare complete values, ignoring case. A text is searched anywhere in the values.

            Example: countersign keychain find --class login --host intranet.example
            """)

    @Argument(help: "A text in the label, URL, service, account, subject or comment.")
    var text: String?

    @Option(name: .customLong("class"), help: "The items' class.")
    var itemClass: KeychainItem.Class?

    @Option(help: "The host of a login, certificate or identity.")
    var host: String?

    @Option(help: "The account or user.")
    var account: String?

    @Option(help: "The label of the item.")
    var label: String?

    @Option(help: "The program of a password.")
    var service: String?

    @Option(help: "A certificate's subject, as 'show' prints it.")
    var subject: String?

    @Option(help: "A certificate's issuer, as 'show' prints it.")
    var issuer: String?

    @Option(help: "A certificate's SHA-256 fingerprint.")
    var fingerprint: String?

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print the items as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    private var query: KeychainQuery {
        var query = KeychainQuery(itemClass)
        (query.host, query.account, query.label, query.service) = (host, account, label, service)
        (query.subject, query.issuer, query.fingerprint) = (subject, issuer, fingerprint)
        return query
    }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlocked(on: console)
        let listing = try await keychain.listing(query)
        var reports = listing.items.map(ItemReport.init)
        if let text = text?.lowercased() {
            reports.removeAll { report in
                ![report.label, report.place, report.account ?? "", report.comment].contains {
                    $0.lowercased().contains(text)
                }
            }
        }
        if json {
            try console.print(json: reports)
        } else if reports.isEmpty {
            try console.print("No items.")
        } else {
            let rows = reports.map { report in
                [
                    "\(report.id)", report.itemClass, report.label.printable, report.place.printable,
                    (report.account ?? report.trust ?? "").printable,
                ]
            }
            let table = TextTable(cells: [["", "class", "label", "place", "account"]] + rows)
            try table.lines(within: console.outputWidth ?? .max).map(\.trimmingTrailingSpaces).forEach(console.print)
        }
        return console.printError(of: listing.damage)
    }
}

extension UnlockedKeychain {
    /// Returns the only item with a number or a name.
    ///
    /// - Parameter name: The item's number, label, host, service, account or fingerprint.
    /// - Returns: The item.
    /// - Throws: ``KeychainCommandError/noItemCalled(_:)``, ``KeychainCommandError/severalItems(_:_:)`` and
    ///   `KeychainError`, such as `KeychainError.damagedItem`.
    func item(called name: String) async throws -> KeychainItem {
        if let number = Int64(name) { return try await item(KeychainItem.ID(number)) }
        let fields: [WritableKeyPath<KeychainQuery, String?>] = [
            \.label, \.host, \.service, \.account, \.fingerprint,
        ]
        var damage: KeychainDamage?
        for field in fields {
            var query = KeychainQuery()
            query[keyPath: field] = name
            let listing = try await listing(query)
            let found = listing.items
            guard found.count < 2 else { throw KeychainCommandError.severalItems(name, found.map(\.id)) }
            if let item = found.first { return item }
            damage = damage ?? listing.damage.first
        }
        // A damaged item may be the one that the user named.
        if let damage { throw damage.error }
        throw KeychainCommandError.noItemCalled(name)
    }
}
