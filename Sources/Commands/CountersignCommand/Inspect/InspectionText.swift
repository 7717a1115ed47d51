// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSession
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation

/// The text output of an inspection.
struct InspectionText {
    let inspection: Inspection
    let usesColor: Bool

    /// The maximum number of printed paths; a hostile chain can have hundreds.
    private static let shownPaths = 10

    var lines: [String] {
        let sections = [
            heading,
            CertificateTree(inspection: inspection, usesColor: usesColor).lines,
            ["Checks:"] + checks,
            titled("Other paths tried:", otherPaths),
            titled("Remarks:", remarks),
            conclusion,
            titled("Required changes:", InspectionAdvice(inspection: inspection).lines),
        ]
        return Array(sections.filter { !$0.isEmpty }.joined(separator: [""]))
    }

    private func titled(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : [title] + lines.map { "  " + $0 }
    }

    private var heading: [String] {
        let (word, ink) = inspection.verdict.headline
        let line = "\(inspection.name): " + paint(word, ink)
        guard case .server(let trust) = inspection.source else { return [line] }
        let version = trust.tlsVersion ?? "the server ended the handshake early"
        let parameters = [trust.cipherSuite, trust.keyExchangeGroup, trust.signatureScheme].compactMap { $0 }
        let library = trust.tlsLibrary == .boringSSL ? [] : [trust.tlsLibrary.name]
        return [line, ([version] + parameters + library).joined(separator: ", ")]
    }

    // MARK: Checks

    private var checks: [String] {
        InspectionCheck.all(of: inspection).flatMap { check in
            let detail = check.failures.map(\.code) + check.notes
            let first = "  " + paint(check.outcome.word.column(12), check.outcome.ink) + check.kind.words
            guard let opening = detail.first else { return [first] }
            return [first + ": " + opening] + detail.dropFirst().map { String(repeating: " ", count: 16) + $0 }
        }
    }

    private var otherPaths: [String] {
        let others = inspection.verdict.otherPaths
        let lines = others.prefix(Self.shownPaths).map { path in
            let names = path.certificates.map(\.shortName).joined(separator: " < ")
            return names + ": " + (path.failure?.code ?? "complete")
        }
        let rest = others.count - lines.count
        return rest > 0 ? lines + ["and \(rest) more"] : lines
    }

    // MARK: Remarks

    private var remarks: [String] {
        var remarks = PresentedOrder.remarks(on: inspection) + inspection.anchorRemarks
        remarks += inspection.fetches.map {
            ($0.succeeded
                ? "Fetched for the evaluation: "
                : $0.isRefused
                    ? "Not fetched, because it is in the local network and the server is not (--allow-local-evidence): "
                    : "Could not be fetched: ") + $0.place + ($0.reason.map { ": \($0)" } ?? "")
        }
        remarks += inspection.verdict.unread.lines().map { "Not read: \($0)." }
        remarks += inspection.evidence.noted.compactMap(\.note) + inspection.unreadableEvidence
        if case .server(let trust) = inspection.source, let request = trust.certificateRequest {
            let issuers = request.issuers.map { " issued by \($0)" } ?? ""
            remarks.append("The server asks for a client certificate\(issuers): 'get' takes one with --identity FILE.")
        }
        let path = inspection.verdict.path ?? []
        if let first = path.min(by: { $0.notAfter < $1.notAfter }) {
            let day = CertificateText.day(first.notAfter)
            remarks.append("\(first.shortName) is the first certificate of the path to expire: renew it before \(day).")
        }
        return remarks
    }

    private var conclusion: [String] {
        if let explanation = inspection.verdict.explanation(of: inspection.name) {
            return [explanation.message, explanation.reason]
        }
        return [inspection.verdict.explanation]
    }

    private func paint(_ text: String, _ ink: Ink?) -> String {
        usesColor ? ink?.paint(text) ?? text : text
    }
}

extension InspectionCheck.Kind {
    /// The name of the check, for the beginning of a line.
    fileprivate var words: String {
        switch self {
        case .time: "time"
        case .name: "host name"
        case .path: "path and signatures"
        case .authorities: "what the authorities may issue"
        case .usage: "usage"
        case .form: "form"
        case .revocation: "revocation"
        case .transparency: "certificate transparency"
        case .pins: "pins"
        }
    }
}

extension InspectionCheck.Outcome {
    fileprivate var word: String {
        switch self {
        case .passed: "ok"
        case .failed: "FAILED"
        case .notAsked: "not asked"
        case .notReached: "not reached"
        case .unknown: "unknown"
        case .waived: "waived"
        }
    }

    fileprivate var ink: Ink? {
        switch self {
        case .passed: .green
        case .failed: .red
        case .unknown, .waived: .yellow
        case .notAsked, .notReached: nil
        }
    }
}

/// A path as a tree, from the anchor down to the leaf.
struct CertificateTree {
    let inspection: Inspection
    let usesColor: Bool

    private static let shownNames = 4

    var lines: [String] {
        let path = inspection.verdict.mainPath
        let certificates = path?.certificates ?? Array(inspection.presented.prefix(1))
        let endsInAnchor = path?.endsInAnchor ?? false
        return certificates.reversed().enumerated().flatMap { level, certificate in
            let isLeaf = level == certificates.count - 1
            let origin = origin(of: certificate, isAnchor: endsInAnchor && level == 0)
            return lines(certificate, level: level, isLeaf: isLeaf, origin: origin)
        }
    }

    private func lines(_ certificate: CertificateSummary, level: Int, isLeaf: Bool, origin: String) -> [String] {
        let indent = String(repeating: "   ", count: level)
        let subject = certificate.subject.isEmpty ? "(no subject)" : certificate.subject
        let heading = level == 0 ? subject : indent.dropLast(3) + "└─ " + subject
        return [heading] + details(certificate, origin).map { indent + (isLeaf ? "  " : "│ ") + $0 }
    }

    private func details(_ certificate: CertificateSummary, _ origin: String) -> [String] {
        guard certificate.problem == nil else { return partialDetails(certificate, origin) }
        let names = certificate.names
        let rest = names.count - Self.shownNames
        let shown = names.prefix(Self.shownNames).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
        return [
            origin.isEmpty ? nil : "from         \(origin)",
            names.isEmpty ? nil : "names        \(shown)",
            "key          \(certificate.algorithms)",
            "valid        \(validity(certificate))",
            "fingerprint  \(certificate.fingerprint)",
            "pin          \(certificate.publicKeyPin)",
        ].compactMap { $0 }
    }

    /// Returns the fields of a certificate that was not read, as far as they can be read.
    private func partialDetails(_ certificate: CertificateSummary, _ origin: String) -> [String] {
        ["from         \(origin)", "not read     \(certificate.problem?.clause ?? "")"]
            + CertificateText.lines(unread: certificate).dropFirst(certificate.subject.isEmpty ? 0 : 1).map {
                let parts = $0.split(separator: ":", maxSplits: 1)
                return parts[0].lowercased().column(13) + parts.dropFirst().joined().drop { $0 == " " }
            }
    }

    private func validity(_ certificate: CertificateSummary) -> String {
        let (text, ink) = certificate.validity(at: inspection.time)
        let days = CertificateText.day(certificate.notBefore) + " to " + CertificateText.day(certificate.notAfter)
        return days + ", " + (usesColor ? ink?.paint(text) ?? text : text)
    }

    private func origin(of certificate: CertificateSummary, isAnchor: Bool) -> String {
        let isPresented = inspection.presented.contains(certificate)
        let place = isAnchor ? "your anchors" : ""
        switch (inspection.source, isPresented) {
        case (_, false): return place.isEmpty ? "elsewhere: it was not presented" : place
        case (.server, true): return place.isEmpty ? "the server" : place + ", and the server"
        case (.file, true): return place.isEmpty ? "the file" : place + ", and the file"
        }
    }
}
