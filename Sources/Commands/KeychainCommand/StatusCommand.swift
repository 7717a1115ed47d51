// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Keychains
import KeychainAgents

/// `countersign keychain status`.
struct StatusCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Print whether the keychain is unlocked, and what unlocks it.",
        discussion: "Example: countersign keychain status --json")

    @OptionGroup
    var place: KeychainLocation

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await place.open(console)
        let held = try place.agent(console).status().first { $0.id == keychain.id }
        let report = StatusReport(path: keychain.path, held, try await keychain.slots)
        if json { try console.print(json: report) } else { try report.lines.forEach(console.print) }
        return .done
    }
}

/// The output of `status`.
struct StatusReport: Encodable {
    struct Slot: Encodable {
        let id: Int64
        let kind: String
        let failedAttempts: Int
    }

    let path: String
    let isUnlocked: Bool
    /// The time in seconds until items of `when-unlocked` can no longer be read; `nil` if they cannot be read now.
    let whenUnlockedRemaining: Int?
    /// The time in seconds until an unused keychain is locked; `nil` if it is locked already or will never be.
    let remaining: Int?
    let slots: [Slot]

    init(path: String, _ held: HeldKeychain?, _ slots: [KeySlot]) {
        self.path = path
        isUnlocked = held != nil
        whenUnlockedRemaining = held?.unlockRemaining.map { Int($0.components.seconds) }
        remaining = held?.remaining.map { Int($0.components.seconds) }
        self.slots = slots.map { Slot(id: $0.id, kind: $0.kind.name, failedAttempts: $0.failedAttempts) }
    }

    var lines: [String] {
        var state = isUnlocked ? "unlocked" : "locked"
        if let remaining { state += ", for \(Self.minutes(remaining)) if it is not used" }
        var lines = ["Keychain:  \(path)", "State:     \(state)"]
        if isUnlocked {
            let items = whenUnlockedRemaining.map { "for \(Self.minutes($0))" } ?? "only after another unlock"
            lines.append("           items of when-unlocked can be read \(items)")
        }
        for slot in slots {
            let count = slot.failedAttempts
            let failures = count == 0 ? "" : ", \(count) wrong guess\(count == 1 ? "" : "es")"
            lines.append("Slot \(slot.id):    \(slot.kind)\(failures)")
        }
        return lines
    }

    private static func minutes(_ seconds: Int) -> String {
        seconds < 120 ? "\(seconds) s" : seconds < 7200 ? "\(seconds / 60) min" : "\(seconds / 3600) h"
    }
}

extension KeySlot.Kind {
    /// The name on the command line.
    var name: String {
        switch self {
        case .passphrase: "passphrase"
        case .pin: "pin"
        case .recoveryCode: "recovery-code"
        case .keyFile: "key-file"
        case .holder: "desktop"
        }
    }
}
