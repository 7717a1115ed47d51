// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import CertificateTrust
import CommandSupport

/// Whether logs must have promised to include a certificate, as flags.
package struct TransparencyOption: ParsableArguments {
    package enum Rule: String, ExpressibleByArgument, CaseIterable {
        case chrome
        case apple

        fileprivate var rule: CertificateTransparencyRule {
            switch self {
            case .chrome: .chrome
            case .apple: .apple
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            "Ask for Certificate Transparency, by the logs of this file: Google's log_list.json (version 3), or Apple's.",
            valueName: "file"))
    package var logList: String?

    @Option(help: "Whose policy says how many logs are needed: chrome or apple; without it, chrome.")
    package var transparencyRule: Rule?

    package init() {}

    /// Whether one of them was given.
    package var isGiven: Bool { logList != nil || transparencyRule != nil }

    /// What is asked; `nil` where it is nothing.
    ///
    /// - Throws: ``UsageError``, `FileError`, `TransparencyLogListError`.
    package func transparency() throws -> CertificateTransparency? {
        guard let logList else {
            guard transparencyRule == nil else {
                throw UsageError.useless("--transparency-rule", without: "--log-list")
            }
            return nil
        }
        let logs = try InputFile.naming(logList) { try TransparencyLogList(json: InputFile.read(logList)) }
        return CertificateTransparency(logs: logs, rule: (transparencyRule ?? .chrome).rule)
    }
}
