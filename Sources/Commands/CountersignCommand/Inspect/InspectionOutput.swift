// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSession
import CommandSupport

/// How an inspection is shown.
struct InspectionOutput: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Print the result as JSON.",
            discussion: """
                host, port, file, isTrusted, time, verdict (paths, failures, timestamps, remarks, leniencies), certificates, presented \
                (fingerprints, leaf first), tls (version, cipherSuite), fetched (place, succeeded), evidence (file, use, problem), checks (check, outcome, \
                failures), remarks, changes. docs/reference/schemas has a schema for each command.
                """))
    var json = false

    @Option(
        help: ArgumentHelp(
            "Also draw the paths that were tried to this file; with '-' to standard output, instead of the text.",
            valueName: "file"), transform: OutputPlace.init)
    var svg: OutputPlace?

    func refuseContradictions() throws(UsageError) {
        if json, svg == .standardOutput { throw .contradiction("--json", "--svg -") }
    }

    /// Prints and draws.
    ///
    /// - Returns: 3 where the chain is not trusted.
    func show(_ inspection: Inspection, on console: Console) throws -> CommandStatus {
        if json {
            try console.print(json: InspectionReport(inspection))
        } else if svg != .standardOutput {
            try InspectionText(inspection: inspection, usesColor: console.usesColor).lines.forEach(console.print)
        }
        try svg?.write(TrustPicture(inspection).svg, on: console)
        return inspection.status
    }
}

extension TrustPicture {
    fileprivate init(_ inspection: Inspection) {
        self.init(
            of: inspection.name, from: inspection.chain.leaf, inspection.verdict,
            at: inspection.time)
    }
}
