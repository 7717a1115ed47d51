// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import Challenges
import CommandSession
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import POSIX
import X509

/// The options for the output of an inspection.
struct InspectionOutput: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Print the result as JSON.",
            discussion: """
                host, port, file, isTrusted, time, verdict (paths, failures, timestamps, remarks, leniencies), certificates, presented \
                (fingerprints, leaf first), tls (version, cipherSuite, library, keyExchangeGroup, signatureScheme), fetched (place, succeeded), evidence (file, use, problem), checks (check, outcome, \
                failures), remarks, changes. docs/reference/schemas has a schema for each command.
                """))
    var json = false

    @Option(
        help: ArgumentHelp(
            "Also draw the tried paths to this file; '-' draws to standard output, instead of the text.",
            valueName: "file"), transform: OutputDestination.init)
    var svg: OutputDestination?

    func checkContradictions() throws(UsageError) {
        if json, svg == .standardOutput { throw .contradiction("--json", "--svg -") }
    }

    /// Refuses to overwrite an input, whatever its names.
    ///
    /// - Parameter inputs: The paths of the inputs; `-` for standard input.
    /// - Throws: ``UsageError/overwritesInput(_:input:)``, and the errors of `inputs`.
    func protect(_ inputs: @autoclosure () throws -> [String]) throws {
        guard case .file(let path)? = svg, let output = FileState(path: path), output.isRegular else { return }
        let same = try inputs().first { input in
            (input == "-" ? FileState(descriptor: STDIN_FILENO) : FileState(path: input))?.isSame(as: output) ?? false
        }
        if let same { throw UsageError.overwritesInput("--svg", input: InputFile.name(ofArgument: same)) }
    }

    /// Prints the inspection and the errors of evidence files, and writes the picture.
    ///
    /// - Returns: The exit status, which is 3 if the chain is not trusted, and otherwise that of the first error.
    func show(_ inspection: Inspection, on console: Console) throws -> CommandStatus {
        if json {
            try console.print(json: InspectionReport(inspection))
        } else if svg != .standardOutput {
            try InspectionText(inspection: inspection, usesColor: console.usesColor).lines.forEach(console.print)
        }
        try svg?.write(TrustPicture(inspection).svg, on: console)
        let failures = inspection.evidence.failures
        for failure in failures { console.printError(failure) }
        return inspection.status == .done ? failures.first?.status ?? .done : inspection.status
    }
}

extension TrustPicture {
    fileprivate init(_ inspection: Inspection) {
        self.init(
            of: inspection.name, from: inspection.chain.leaf, inspection.verdict,
            at: inspection.time)
    }
}

/// The JSON output of `trust inspect --json` and `trust evaluate --json`.
struct InspectionReport: Encodable {
    struct TLS: Encodable {
        let version: String?
        let cipherSuite: String?
        let library: TLSLibrary
        let keyExchangeGroup: String?
        let signatureScheme: String?
        let wantsClientCertificate: Bool
        /// The acceptable issuers of a client certificate; `nil` if none is requested or the issuers are not known.
        let acceptableIssuers: [String]?
    }

    struct Check: Encodable {
        let check: InspectionCheck.Kind
        let outcome: InspectionCheck.Outcome
        let failures: [String]
        let notes: [String]
    }

    /// A revocation list or an OCSP response from a file.
    struct Evidence: Encodable {
        let file: String
        let use: EvidenceRecord.Use
        let problem: ProblemRecord?
    }

    let host: String?
    let port: Int?
    let file: String?
    let isTrusted: Bool
    /// The time of the evaluation.
    let time: Date
    let verdict: VerdictRecord
    /// The certificates that the report refers to by their fingerprints.
    let certificates: [CertificateSummary]
    /// The fingerprints of the presented certificates, leaf first, in the order of presentation.
    let presented: [String]
    let tls: TLS?
    /// The attempts to fetch evidence.
    let fetched: [EvidenceFetch]
    /// The lists, followed by the responses, from files.
    let evidence: [Evidence]
    /// The remarks about the parts of evidence files that cannot be read.
    let unreadableEvidence: [String]
    let checks: [Check]
    /// Remarks about unusual presented certificates.
    let remarks: [String]
    /// The changes that would make the chain trusted.
    let changes: [String]

    init(_ inspection: Inspection) {
        host = inspection.host
        switch inspection.source {
        case .server(let trust):
            (port, file) = (trust.endpoint.port, nil)
            tls = TLS(
                version: trust.tlsVersion, cipherSuite: trust.cipherSuite, library: trust.tlsLibrary,
                keyExchangeGroup: trust.keyExchangeGroup, signatureScheme: trust.signatureScheme,
                wantsClientCertificate: trust.certificateRequest != nil,
                acceptableIssuers: trust.certificateRequest?.issuerNames)
        case .file(let path):
            (port, file, tls) = (nil, path, nil)
        }
        isTrusted = inspection.verdict.isTrusted
        time = inspection.time
        verdict = VerdictRecord(inspection.verdict)
        var list = CertificateList(inspection.presented)
        list.add(inspection.verdict.certificates.all)
        certificates = list.all
        presented = inspection.presented.map(\.fingerprint)
        fetched = inspection.fetches
        evidence = inspection.evidence.map {
            let record = EvidenceRecord($0.use)
            return Evidence(file: $0.path, use: record.use, problem: record.problem)
        }
        unreadableEvidence = inspection.unreadableEvidence
        checks = InspectionCheck.all(of: inspection).map {
            Check(check: $0.kind, outcome: $0.outcome, failures: $0.failures.map(\.code), notes: $0.notes)
        }
        remarks = PresentedOrder.remarks(on: inspection) + inspection.anchorRemarks
        changes = InspectionAdvice(inspection: inspection).lines
    }
}

extension ClientCertificateRequest {
    /// The names of the acceptable issuers, in text that is safe to print; `nil` if they are not known.
    var issuerNames: [String]? { acceptableIssuers?.map(\.text) }
}
