// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser

/// How an inspection is shown.
struct InspectionOutput: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Print the result as JSON.",
            discussion: """
                host, port, file, isTrusted, time, verdict (paths, failures, remarks, leniencies), presented (leaf \
                first), tls (version, cipherSuite), fetched (place, succeeded), checks (check, outcome, failures), remarks, changes.
                """))
    var json = false

    @Option(help: "Also draw the paths that were tried to this file.")
    var svg: String?

    /// Prints and draws.
    ///
    /// - Returns: 3 where the chain is not trusted.
    func show(_ inspection: Inspection, on console: Console) throws -> CommandStatus {
        if json {
            try console.print(json: InspectionReport(inspection))
        } else {
            try InspectionText(inspection: inspection, usesColor: console.usesColor).lines.forEach(console.print)
        }
        if let svg { try OutputFile.write(TrustPicture(inspection).svg, to: svg) }
        return inspection.status
    }
}
