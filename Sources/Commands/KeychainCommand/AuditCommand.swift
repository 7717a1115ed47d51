// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import ErrorExplanations
import EssentialFoundation
import Keychains

/// `countersign keychain audit`.
struct AuditCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract:
            "List items that need attention: expiring certificates, weak, reused and rejected passwords, plain http, duplicate items.",
        discussion: "Example: countersign keychain audit --days 60")

    @Option(help: ArgumentHelp("List certificates that expire within this number of days.", valueName: "number"))
    var days = 30

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlocked(on: console)
        let findings = try await keychain.findings(expiringBefore: Date() + Double(days) * 86_400)
        let damage = try await keychain.listing().damage
        if json {
            try console.print(json: findings.map(FindingReport.init))
        } else if findings.isEmpty {
            try console.print("Nothing needs attention.")
        } else {
            for finding in findings {
                try console.print("Item \(finding.item.id), \(ItemReport(finding.item).title): \(finding.sentence)")
            }
        }
        return console.printError(of: damage)
    }
}

/// The JSON form of a finding.
struct FindingReport: Encodable {
    let item: Int64
    let label: String
    let problem: String
    let message: String
    /// The numbers of the first ten other items with the same password.
    private(set) var others: [Int64]?
    /// The number of all other items with the same password.
    private(set) var otherCount: Int?

    init(_ finding: KeychainFinding) {
        (item, label) = (finding.item.id.number, finding.item.label)
        (problem, message) = (finding.name, finding.sentence)
        if case .reused(let others, let count) = finding.problem {
            (self.others, otherCount) = (others.map(\.number), count)
        }
    }
}

extension ItemReport {
    var title: String {
        let name = [label, place].first { !$0.isEmpty } ?? itemClass
        return (name + (account.map { ", \($0)" } ?? "")).printable
    }
}

extension KeychainFinding {
    /// The name in JSON.
    var name: String {
        switch problem {
        case .expired: "expired"
        case .expiring: "expiring"
        case .weak: "weak"
        case .reused: "reused"
        case .plainHTTP: "plain-http"
        case .rejected: "rejected"
        case .superseded: "superseded"
        case .unreadable: "unreadable"
        case .damaged: "damaged"
        }
    }

    var sentence: String {
        switch problem {
        case .expired(let date): "It expired on \(CertificateText.day(date))."
        case .expiring(let date): "It expires on \(CertificateText.day(date))."
        case .weak(let weakness): "The password is easily guessed: \(weakness.clause)."
        case .reused(let others, let count):
            "Item\(count == 1 ? "" : "s") \(others.map(\.description).joined(separator: ", "))\(count > others.count ? " and \(count - others.count) more" : "") ha\(count == 1 ? "s" : "ve") the same password."
        case .plainHTTP: "The password is sent over plain http, where others can read it."
        case .rejected: "The server rejected it; it is not offered until it is changed."
        case .superseded(let id): "Item \(id) is the same item and newer, and is used instead: remove one of the two."
        case .unreadable: "It could not be read now, so it was not checked: unlock the keychain again."
        case .damaged: "The password is damaged, so it was not checked."
        }
    }
}
