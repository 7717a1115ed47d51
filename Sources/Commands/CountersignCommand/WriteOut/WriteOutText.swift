// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import ErrorExplanations
import CertificateTrust
import Countersign
import HTTPTypes

/// What `--write-out` prints after one transfer.
struct WriteOutText {
    /// For standard output.
    private(set) var output = ""
    /// For standard error.
    private(set) var errors = ""

    init(_ format: WriteOutFormat, _ facts: TransferFacts) {
        var goesToErrors = false
        for part in format.parts {
            switch part {
            case .standardError: goesToErrors = true
            case .standardOutput: goesToErrors = false
            case .onError where facts.status == .done: return
            case .onError: break
            default:
                let text = Self.text(part, facts)
                if goesToErrors { errors += text } else { output += text }
            }
        }
    }

    private static func text(_ part: WriteOutFormat.Part, _ facts: TransferFacts) -> String {
        switch part {
        case .text(let text): text
        case .variable(.httpCode), .variable(.responseCode): padded(facts[.httpCode].text)
        case .variable(let variable): facts[variable].text
        case .header(let name): facts.response?.headerFields[values: name].first?.printable ?? ""
        case .headerJSON: headers(facts)
        case .json: json(facts)
        case .standardError, .standardOutput, .onError: ""
        }
    }

    /// To three digits: no response is `000`.
    private static func padded(_ code: String) -> String {
        String(repeating: "0", count: max(3 - code.count, 0)) + code
    }

    private static func json(_ facts: TransferFacts) -> String {
        let pairs = WriteOutVariable.allCases.map { "\"\($0.rawValue)\":" + facts[$0].json }
        return "{" + pairs.joined(separator: ",") + "}"
    }

    /// Every field by its name in lower case, with all of its values.
    private static func headers(_ facts: TransferFacts) -> String {
        var names: [String] = []
        var values: [String: [String]] = [:]
        for field in facts.response?.headerFields ?? [:] {
            let name = field.name.canonicalName
            if values[name] == nil { names.append(name) }
            values[name, default: []].append(WriteOutValue.quoted(field.value))
        }
        let lines = names.map { "\(WriteOutValue.quoted($0)):[\((values[$0] ?? []).joined(separator: ","))]" }
        return "{" + lines.joined(separator: ",\n") + "}"
    }
}
