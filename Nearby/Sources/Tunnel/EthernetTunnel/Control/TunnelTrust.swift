// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import ErrorExplanations
import Identities
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The trust rules for a peer's certificate, whose files are read again for every evaluation.
///
/// A tunnel evaluates its peer's certificate at the handshake, and at intervals while it runs
/// (``TunnelOptions/recheck``). A changed file, such as a new revocation list, therefore takes effect on a running
/// tunnel.
public struct TunnelTrust: Sendable {
    /// The paths of files with the trust anchors, in PEM or DER.
    public var authorities: [String]
    /// The paths of files with complete revocation lists, in PEM or DER; none by default.
    ///
    /// If there is at least one list, each certificate below the anchor requires a current list from its issuer that
    /// does not revoke it.
    public var revocationLists: [String]
    /// The pins, at least one of which a certification path must match; empty, the default, requires none.
    public var pins: Set<Pin>
    /// The path of a file with further pins, one on each line, with comments after `#`; `nil` by default.
    public var pinFile: String?
    /// The DNS names or mailboxes, at least one of which the peer's certificate must contain.
    ///
    /// If the array is empty, the default, a listener's certificate must contain the name to which this side connects,
    /// and the certificate of a connecting peer may contain any name.
    public var names: [String]

    /// Creates trust rules; no file is read yet.
    public init(
        authorities: [String], revocationLists: [String] = [], pins: Set<Pin> = [], pinFile: String? = nil,
        names: [String] = []
    ) {
        (self.authorities, self.revocationLists, self.pins) = (authorities, revocationLists, pins)
        (self.pinFile, self.names) = (pinFile, names)
    }

    /// The role of the peer in the connection.
    enum Role: Hashable, Sendable {
        case client
        /// The peer is the server to which this side connects by the given name.
        case server(String)
    }

    /// Evaluates a peer's certificate with the current files.
    ///
    /// - Throws: ``TunnelError/notTrusted(code:message:reason:advice:)``, and errors of reading the files: with a
    ///   missing or damaged file, no peer is trusted.
    func check(_ chain: PresentedChain, as role: Role, called label: String, at time: Date = Date()) throws {
        let (policy, evidence) = try read()
        let evaluator = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([]))
        var verdicts: [Verdict] = []
        switch role {
        case .client:
            for name in names.isEmpty ? [nil] : names.map(Optional.some) {
                verdicts.append(try evaluator.evaluate(client: chain, named: name, at: time, with: evidence))
            }
        case .server(let peer):
            for name in names.isEmpty ? [peer] : names {
                verdicts.append(evaluator.evaluate(chain, for: try HostName(name), at: time, with: evidence))
            }
        }
        guard !verdicts.contains(where: \.isTrusted), let explanation = verdicts.first?.explanation(of: label) else {
            return
        }
        throw TunnelError.notTrusted(
            code: explanation.code, message: explanation.message, reason: explanation.reason, advice: explanation.advice
        )
    }

    /// Reads all files once, so that errors in them are reported at startup.
    func read() throws -> (TrustPolicy, TrustEvidence) {
        let anchors = try authorities.flatMap { try CertificateFile.certificates(in: try Self.bytes(of: $0)) }
        let lists = try revocationLists.map { path in
            let bytes = try Self.bytes(of: path)
            return bytes.starts(with: "-----".utf8)
                ? try CertificateRevocationList(pemEncoded: String(decoding: bytes, as: UTF8.self))
                : try CertificateRevocationList(derEncoded: bytes)
        }
        var pins = pins
        if let pinFile {
            let text = String(decoding: try Self.bytes(of: pinFile), as: UTF8.self)
            let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == " " } }
            for line in lines where !line.isEmpty && !line.hasPrefix("#") { pins.insert(try Pin(String(line))) }
            // An emptied pin file must trust no peer; without any pin, the policy would not require one.
            guard !pins.isEmpty else { throw TunnelError.unreadableFile(pinFile) }
        }
        let policy = TrustPolicy(
            anchors: .only(anchors), pins: PinSet(pins), revocation: lists.isEmpty ? .whereDemanded : .hardFail)
        return (policy, TrustEvidence(revocation: RevocationEvidence(lists: lists)))
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { throw TunnelError.unreadableFile(path) }
        return Array(data)
    }
}
