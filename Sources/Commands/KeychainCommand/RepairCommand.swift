// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import ErrorExplanations
import Keychains

/// `countersign keychain verify`.
struct VerifyCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that nothing is damaged, removed, added or rolled back.",
        discussion: "Example: countersign keychain verify")

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlocked(on: console)
        let listing = try await keychain.examine { [console] share in
            guard console.showsProgress else { return }
            console.writeError(ProgressBar.erasure + "\(Int(share * 100))%")
        }
        if console.showsProgress { console.writeError(ProgressBar.erasure) }
        if json {
            try console.print(
                json: VerificationReport(items: listing.items.count, damage: listing.damage.map(DamageReport.init)))
        } else if listing.damage.isEmpty {
            try console.print("\(listing.items.count.items), all intact.")
        } else {
            try console.print("\(listing.items.count.items) can be found. Damaged:")
            for damage in listing.damage { try console.print("- " + damage.message) }
            try console.print("'countersign keychain repair FILE' saves all that can be read.")
        }
        return listing.damage.isEmpty ? .done : .failed
    }
}

/// The JSON output of `verify --json`.
struct VerificationReport: Encodable {
    /// The number of items that can be found.
    let items: Int
    let damage: [DamageReport]
}

/// `countersign keychain repair`.
struct RepairCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Save everything readable of a damaged keychain to a new file.",
        discussion: """
            The keychain stays as it is. The new file has the same passphrase and other unlock methods, and items keep their \
            numbers. Each damaged part is named, and the exit status is 1 if there is one. A damaged item that may be a pin or a \
            distrusted certificate is in the new file as it is: until it is removed with 'rm', the new keychain has no trust \
            settings, so that the loss of the item makes no server trusted.

            Example: countersign keychain repair ~/.countersign/keychain/repaired.sqlite
            """)

    @Argument(help: "The path of a new file, in a folder that only you can access.")
    var file: String

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let repair = try await options.unlocked(on: console, forRepair: true).repair(to: file)
        let report = RepairReport(repair, file)
        if json { try console.print(json: report) } else { try report.lines.forEach(console.print) }
        return repair.damage.isEmpty ? .done : .failed
    }
}

/// The output of `repair --json`.
struct RepairReport: Encodable {
    let path: String
    /// The number of items in the new file that can be read.
    let saved: Int
    let damage: [DamageReport]
    /// The numbers of the damaged items that are in the new file.
    let damagedItems: [Int64]

    init(_ repair: KeychainRepair, _ path: String) {
        (self.path, saved) = (path, repair.saved.count)
        damage = repair.damage.map(DamageReport.init)
        damagedItems = repair.damagedItems.map(\.number)
    }

    var lines: [String] {
        var lines = ["Saved \(saved.items) in \(path.printable)."]
        guard !damage.isEmpty else { return lines + ["Nothing is damaged."] }
        lines += ["Damaged:"] + damage.map { "- " + $0.message }
        if !damagedItems.isEmpty {
            let numbers = damagedItems.map(String.init).joined(separator: " ")
            lines.append(
                "A pin or a distrusted certificate may be among the lost items. Import what is missing, and then run")
            lines.append("countersign keychain rm \(numbers) --keychain \(path.printable)")
        }
        if damage.contains(where: { $0.part == "header" }) {
            lines.append("The first command that opens the new file needs --accept-older-state.")
        }
        return lines
    }
}

extension Int {
    /// The number with its noun, such as "1 item".
    fileprivate var items: String { "\(self) \(self == 1 ? "item" : "items")" }
}

/// The JSON form of one damaged part of a keychain.
struct DamageReport: Encodable {
    /// The number of the damaged item; `nil` if the damage concerns several items, or none.
    private(set) var item: Int64?
    private(set) var itemClass: String?
    private(set) var label: String?
    /// The name of the damaged part, such as "secret".
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
    /// Reports the damage that a command found, on standard error.
    ///
    /// - Returns: The exit status of a command that completed the rest.
    func printError(of damage: [KeychainDamage]) -> CommandStatus {
        guard !damage.isEmpty else { return .done }
        printError(Failure(KeychainCommandError.partlyDamaged(damage.map(\.message))))
        return .failed
    }
}
