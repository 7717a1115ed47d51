// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import WSSecurity
import X509
import XMLDocuments
import XMLSignature

/// `countersign soap verify`.
struct VerifyCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify the signature of an XML document or a SOAP message.",
        discussion: """
            Prints the signed parts and the signer; an element by its path, such as Response/Assertion[2]. In a SOAP message the body and the timestamp must be signed, and the message \
            must be fresh at the time of --at. Read the signed bytes that --output writes, and nothing else of the document: \
            content next to a signed element can be anything. Exits with 3 if the signer's certificate is not trusted, and with \
            1 if the signature is missing or does not verify.

            Example: countersign soap verify signed.xml --anchor ca.pem
            """)

    @Argument(help: ArgumentHelp("The document; '-' is standard input.", valueName: "file"))
    var document: String

    @Option(
        help: ArgumentHelp("An authority to which the signer's certificate must lead; repeatable.", valueName: "file"))
    var anchor: [String] = []

    @Option(help: ArgumentHelp("The certificate whose key must have made the signature.", valueName: "file"))
    var certificate: String?

    @Option(
        help: ArgumentHelp(
            "The time at which certificates must be valid, such as 2026-11-24T10:00:00Z; by default, now.",
            valueName: "time"),
        transform: Self.time)
    var at: Date?

    @Flag(
        name: .customLong("allow-sha1"),
        help: "Accept signatures with SHA-1, which others can forge at a cost.")
    var allowSHA1 = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "A file for the signed bytes: the verified message, or the first signed part.", valueName: "file"))
    var output: String?

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func validate() throws {
        if anchor.isEmpty == (certificate == nil) { throw ValidationError("Give --anchor FILE or --certificate FILE.") }
    }

    func perform(on console: Console) async throws -> CommandStatus {
        let bytes = try InputFile.readArgument(document)
        let result = try verified(bytes, on: console)
        if let output { try OutputFile.write(result.bytes, to: output) }
        if json {
            try console.print(json: result.report)
            return .done
        }
        for part in result.report.parts { try console.print("Signed: \(part.printable)") }
        if let signer = result.report.signer { try console.print("Signer: \(signer.printable)") }
        return .done
    }

    private func verified(_ bytes: [UInt8], on console: Console) throws -> Result {
        let time = at ?? Date()
        let policy = allowSHA1 ? SignaturePolicy.allowingSHA1 : SignaturePolicy()
        let signer = try signer(at: time, on: console)
        if try InputFile.naming(document, { try DocumentKind(of: bytes) }) == .soapMessage {
            var security = SecurityPolicy(trusting: signer)
            security.signatures = policy
            var replays = ReplayCache()
            let message = try SecurityVerifier(policy: security).verify(bytes, at: time, replays: &replays)
            let parts =
                (message.body == nil ? [] : ["Body"])
                + message.headers.map { header in
                    header.name.description + (header.position.map { "[\($0)]" } ?? "")
                }
            return Result(parts: parts, certificate: message.certificate, bytes: message.envelope)
        }
        let verified = try SignatureVerifier(trusting: signer, policy: policy).verify(bytes)
        let parts = verified.contents.map { $0.location.isEmpty ? $0.uri : $0.location }
        return Result(parts: parts, certificate: verified.certificate, bytes: verified.contents.first?.bytes ?? [])
    }

    private func signer(at time: Date, on console: Console) throws -> SignatureVerifier.Signer {
        if let certificate {
            return .key(try AnchorFiles.first(in: certificate).publicKey)
        }
        let anchors = try AnchorFiles.read(anchor, on: console)
        let evaluator = TrustEvaluator(policy: TrustPolicy(anchors: .only(anchors)), systemAnchors: AnchorStore([]))
        return .certificate(CertifiedSigner(evaluator: evaluator, known: anchors, at: time))
    }

    private static func time(_ text: String) throws -> Date {
        guard let time = InternetTime(text) else { throw ValidationError("write a time such as 2026-11-24T10:00:00Z") }
        return time.date
    }

    private struct Result {
        let report: Report
        let bytes: [UInt8]

        init(parts: [String], certificate: Certificate?, bytes: [UInt8]) {
            let summary = certificate.map { CertificateSummary($0) }
            report = Report(parts: parts, signer: summary?.subject, fingerprint: summary?.fingerprint)
            self.bytes = bytes
        }
    }

    private struct Report: Encodable {
        let parts: [String]
        let signer: String?
        let fingerprint: String?
    }
}

extension SignaturePolicy {
    /// A policy for old messages.
    fileprivate static var allowingSHA1: SignaturePolicy {
        SignaturePolicy(
            algorithms: Set(XMLSignatureAlgorithm.allCases), digests: Set(XMLDigestAlgorithm.allCases))
    }
}
