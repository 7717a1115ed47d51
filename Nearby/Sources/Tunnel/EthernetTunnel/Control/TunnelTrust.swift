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

/// The rules for the certificates that a peer may have, with files that are read anew whenever a certificate is evaluated.
///
/// A tunnel evaluates its peer's certificate at the handshake, and at intervals while it runs (``TunnelOptions/recheck``). So a changed
/// file, such as a new revocation list, takes effect on a running tunnel.
public struct TunnelTrust: Sendable {
    /// The paths of files with the certificates at which a certification path may end, in PEM or DER.
    public var authorities: [String]
    /// The paths of files with complete revocation lists, in PEM or DER; none by default.
    ///
    /// If there is a list, each certificate below the anchor must have a current list of its issuer that does not revoke it.
    public var revocationLists: [String]
    /// The pins of which a certification path must satisfy one; empty, the default, requires none.
    public var pins: Set<Pin>
    /// The path of a file with further pins, one in each line, and comments after `#`; `nil`, the default, for none.
    public var pinFile: String?
    /// The names or mailboxes of which the peer's certificate must have one.
    ///
    /// If they are empty, as by default, a listener's certificate must have the name to which this side connects, and the certificate of a
    /// peer that connects to this side may have any name.
    public var names: [String]

    /// Makes rules; no file is read yet.
    public init(
        authorities: [String], revocationLists: [String] = [], pins: Set<Pin> = [], pinFile: String? = nil,
        names: [String] = []
    ) {
        (self.authorities, self.revocationLists, self.pins) = (authorities, revocationLists, pins)
        (self.pinFile, self.names) = (pinFile, names)
    }

    /// Which end of the connection the peer is.
    enum Role: Hashable, Sendable {
        case client
        /// Connected to by this name.
        case server(String)
    }

    /// Evaluates a peer's certificate by the files as they are now.
    ///
    /// - Throws: ``TunnelError/notTrusted(code:message:reason:advice:)``, and what reading the files throws: a file that is gone or
    ///   damaged trusts no one.
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

    /// Reads all files once, so that a mistake in them is told at the start.
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
            // An emptied file distrusts everyone; without a pin it would ask for nothing.
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
