// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CertificateTrustNIOSSL
import CommandSession
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import Identities
import NIOConcurrencyHelpers
import X509

/// The result of an inspection, which is printed and drawn: a chain, its verdict, and the circumstances.
struct Inspection {
    /// The source of the chain.
    enum Source {
        case server(ServerTrust)
        case file(String)
    }

    let source: Source
    /// The name that the leaf was compared with; `nil` if there was none.
    let host: String?
    let chain: PresentedChain
    let verdict: Verdict
    /// The time of the evaluation.
    let time: Date
    /// Whether the policy has pins.
    let isPinned: Bool
    /// Whether the policy requires Certificate Transparency.
    let requiresTransparency: Bool
    /// The attempts to fetch evidence.
    let fetches: [EvidenceFetch]
    /// The use of the evidence files.
    let evidence: [EvidenceFileUse]
    /// The remarks about the parts of the evidence files that cannot be read.
    let unreadableEvidence: [String]
    /// The environment variables that replace the system's anchors, as `NAME=VALUE`; `nil` if none was used.
    let anchorVariables: String?

    init(
        _ trust: ServerTrust, policy: TrustPolicy, fetches: [EvidenceFetch], evidence: EvidenceFiles,
        at time: Date, environment: [String: String]
    ) {
        source = .server(trust)
        host = trust.endpoint.host.description
        chain = trust.chain
        verdict = trust.verdict
        isPinned = !policy.pins.isEmpty
        requiresTransparency = policy.transparency != nil
        self.fetches = fetches
        self.evidence = evidence.uses(for: trust.verdict)
        unreadableEvidence = evidence.unreadable
        self.time = time
        anchorVariables = policy.usesSystemAnchors ? SystemAnchors.variables(in: environment) : nil
    }

    init(
        file: String, host: String?, chain: PresentedChain, verdict: Verdict, policy: TrustPolicy,
        fetches: [EvidenceFetch], evidence: EvidenceFiles, at time: Date, environment: [String: String]
    ) {
        source = .file(file)
        self.host = host
        self.chain = chain
        self.verdict = verdict
        isPinned = !policy.pins.isEmpty
        requiresTransparency = policy.transparency != nil
        self.fetches = fetches
        self.evidence = evidence.uses(for: verdict)
        unreadableEvidence = evidence.unreadable
        self.time = time
        anchorVariables = policy.usesSystemAnchors ? SystemAnchors.variables(in: environment) : nil
    }

    /// The remarks about the anchors.
    var anchorRemarks: [String] {
        anchorVariables.map { ["anchors: \($0.printable), instead of the system's."] } ?? []
    }

    /// The presented certificates, leaf first, in the order of presentation.
    var presented: [CertificateSummary] { [chain.leaf] + chain.issuers }

    /// The name of the inspected server or file, for display.
    var name: String {
        switch source {
        case .server(let trust): trust.endpoint.description
        case .file(let path): path.printable + (host.map { " for \($0.printable)" } ?? "")
        }
    }

    var status: CommandStatus { verdict.isTrusted ? .done : .notTrusted }
}

extension CertificateSummary {
    /// The key type and the signature algorithm.
    var algorithms: String {
        let signature =
            signatureAlgorithm.map { "\($0)".replacing("SignatureAlgorithm.", with: "") } ?? signatureAlgorithmName
        return "\(keyType), signed with \(signature)".printable
    }

    /// The URLs of its issuer's certificate that the certificate contains (RFC 5280 section 4.2.2.1).
    var issuerPlaces: [String] {
        let access = (try? certificate?.extensions.authorityInformationAccess) ?? AuthorityInformationAccess()
        return access.filter { $0.method == .issuingCA }.compactMap { description in
            guard case .uniformResourceIdentifier(let url) = description.location else { return nil }
            return url.printable
        }
    }
}

/// A certificate chain in a file, PEM or DER, leaf first.
struct ChainFile {
    /// The path, or the name of standard input.
    let path: String
    let chain: PresentedChain

    /// Reads the chain of a file, or of standard input for `-`.
    init(_ path: String) throws {
        self.path = InputFile.name(ofArgument: path)
        chain = try InputFile.naming(path) {
            let bytes = try InputFile.readArgument(path)
            do throws(IdentityError) {
                return try CertificateFile.chain(in: bytes)
            } catch .unsupported("PKCS#12") {
                throw InspectionError.pkcs12
            }
        }
    }

    /// Evaluates the chain, and fetches evidence only if a fetcher is given.
    ///
    /// - Parameters:
    ///   - name: The name that the leaf must match; `nil` skips that check.
    ///   - policy: The policy that the chain must satisfy.
    ///   - time: The time of the evaluation.
    ///   - files: The evidence files.
    ///   - timestamps: The timestamps that a server sent in the handshake.
    ///   - fetcher: The fetcher of the evidence that the policy requires.
    ///   - environment: The environment variables that may replace the system's anchors.
    /// - Returns: The inspection.
    /// - Throws: ``TrustError/noSystemAnchors(_:)``, ``TrustError/unusableAnchors(_:)``, `HostNameError`.
    func evaluate(
        for name: String?, under policy: TrustPolicy, at time: Date, with files: EvidenceFiles,
        timestamps: TimestampList? = nil, fetcher: EvidenceFetcher?, environment: [String: String]
    ) async throws -> Inspection {
        let peer = try name.map { try PeerName(international: $0) }
        let evaluator = TrustEvaluator(
            policy: policy, systemAnchors: try SystemAnchors(environment: environment).store(for: policy),
            publicSuffixes: SystemPublicSuffixes.list)
        let (chain, given) = (chain, files.evidence)
        let evaluate = { @Sendable (fetched: TrustEvidence) in
            var evidence = fetched
            evidence.add(given)
            evidence.timestamps = timestamps
            return evaluator.evaluate(
                chain, for: [peer].compactMap(\.self), requirements: PathRequirements(for: policy.purpose),
                at: time, with: evidence)
        }
        let host = if case .host(let host)? = peer { host } else { HostName?.none }
        let fetches = NIOLockedValueBox<[EvidenceFetch]>([])
        let report = { @Sendable (event: SessionEvent.Kind) in
            guard let fetch = EvidenceFetch(event, showsSecrets: false) else { return }
            fetches.withLockedValue { $0.append(fetch) }
        }
        let verdict =
            await fetcher?.verdict(under: policy, for: host, report: report, by: evaluate) ?? evaluate(TrustEvidence())
        return Inspection(
            file: path, host: name, chain: chain, verdict: verdict, policy: policy,
            fetches: fetches.withLockedValue { $0 }, evidence: files, at: time, environment: environment)
    }
}

extension PeerName {
    /// Reads an email address, or a host whose name may be of another script.
    fileprivate init(international text: String) throws(HostNameError) {
        self = text.contains("@") ? .mailbox(text) : .host(try HostName(international: text))
    }
}

extension TrustPolicy {
    /// Whether the evaluation of a chain from a file may fetch evidence.
    var mayFetch: Bool { revocation != .whereDemanded || missingIssuers == .fetched }
}

/// An error in the arguments of an inspection.
enum InspectionError: Error, Hashable {
    /// A file with a private key, although only certificates are needed.
    case pkcs12
    /// A plain http URL, which has no certificates.
    case plainHTTP(String)
    case time(String)
    /// The option is for servers only.
    case flagOfServers(String)
    /// The option is for files only.
    case flagOfFiles(String)
    /// A list or a response about certificates that are not in the chain.
    case unrelatedEvidence
}

extension InspectionError: CataloguedError {
    var explanation: ErrorExplanation {
        switch self {
        case .pkcs12:
            ErrorExplanation(
                "file.pkcs12", "The file is PKCS#12, which contains a private key in addition to the certificates.",
                reason: "Only certificates are inspected; the key stays closed.",
                advice: "Extract the certificates: openssl pkcs12 -in FILE -nokeys -out chain.pem")
        case .plainHTTP(let url):
            ErrorExplanation(
                .usage, "usage.plain-http", "\(url) is a plain http URL, which has no certificates.",
                reason: "Only TLS servers present certificates.", advice: "Give HOST:PORT or an https: URL.")
        case .time(let text):
            ErrorExplanation(
                .usage, "usage.time", "\"\(text)\" is not a date and time that exists.",
                reason: "Dates are read as ISO 8601 writes them.",
                advice: "Write it as 2026-11-21 or 2026-11-21T10:00:00Z.")
        case .flagOfServers(let flag):
            ErrorExplanation(
                .usage, "usage.option-for-servers", "\(flag) is for servers, and a file was given.",
                reason:
                    "A file is evaluated without any connection, unless revocation or missing issuers are asked for.",
                advice: "Leave it out, or give HOST:PORT.")
        case .flagOfFiles(let flag):
            ErrorExplanation(
                .usage, "usage.option-for-files", "\(flag) is for files, and a server was given.",
                reason: "A server is compared with its own name.", advice: "Leave it out, or give a file.")
        case .unrelatedEvidence:
            ErrorExplanation(
                "file.unrelated-evidence", "It is about no certificate of the chain below the anchor.",
                reason:
                    "A revocation list is about the certificates of its issuer, an OCSP response about those it names.",
                advice: "Give the list of the issuer of a certificate of the chain, or leave the file out.")
        }
    }

    static var examples: [InspectionError] {
        [
            .pkcs12, .plainHTTP("http://localhost:8080/"), .time("2026-02-30"), .flagOfServers("--proxy"),
            .flagOfFiles("--host"), .unrelatedEvidence,
        ]
    }
}
