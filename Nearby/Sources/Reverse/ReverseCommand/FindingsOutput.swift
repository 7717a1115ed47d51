// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import ReverseChecks
import ReverseZones

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Prints findings as a table or as JSON.
struct FindingsOutput {
    private let findings: [(block: AddressBlock, finding: ReverseFinding)]

    init(_ findings: [(AddressBlock, ReverseFinding)]) { self.findings = findings.map { (block: $0.0, finding: $0.1) } }

    var table: String {
        guard !findings.isEmpty else { return "Nothing is wrong." }
        let head = ["ADDRESS OR ZONE", "SEVERITY", "FINDING", "WHAT TO DO"]
        let rows = findings.map { _, finding in
            [finding.subject.description, finding.severity.rawValue, finding.message, finding.advice]
        }
        let widths = head.indices.dropLast().map { column in
            ([head] + rows).map { $0[column].count }.max() ?? 0
        }
        let lines = ([head] + rows).map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count + 2) }.joined()
                + row[head.count - 1]
        }
        return (lines + ["", summary]).joined(separator: "\n")
    }

    private var summary: String {
        ReverseFinding.Severity.allCases.map { severity in
            let count = findings.count { $0.finding.severity == severity }
            return "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }.joined(separator: ", ")
    }

    private struct Entry: Encodable {
        let block: String
        let address: String?
        let zone: String?
        let code: String
        let severity: String
        let message: String
        let advice: String
    }

    var json: String {
        get throws {
            let entries = findings.map { block, finding in
                var (address, zone) = (String?.none, String?.none)
                switch finding.subject {
                case .address(let own): address = own.description
                case .zone(let own): zone = own.description
                }
                return Entry(
                    block: block.description, address: address, zone: zone, code: finding.code,
                    severity: finding.severity.rawValue, message: finding.message, advice: finding.advice)
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(["findings": entries]), as: UTF8.self)
        }
    }
}
