// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLEncryption
internal import XMLSignature

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Verifies signed messages, and returns what they sign (SOAP Message Security 1.1).
///
/// ```swift
/// var replays = ReplayCache()
/// let verifier = SecurityVerifier(policy: SecurityPolicy(anchors: [root]))
/// let message = try verifier.verify(received, replays: &replays)
/// ```
///
/// Callers read the returned bytes and nothing else of the message. An element counts only where it must stand, so that
/// a signed body that was moved aside signs no other one.
public struct SecurityVerifier: Sendable {
    /// The requirements that a message must meet.
    public var policy: SecurityPolicy

    /// How many signatures of a message are verified.
    private static let mostSignatures = 5

    /// Creates a verifier from the requirements that a message must meet.
    public init(policy: SecurityPolicy) { self.policy = policy }

    /// Verifies a message.
    ///
    /// - Parameters:
    ///   - envelope: The received message, SOAP 1.1 or 1.2.
    ///   - time: The time at which certificates and the message must be valid; the present by default.
    ///   - replays: The memory of messages, which refuses each one that comes again before it expires. A message without a signed time is
    ///     not remembered.
    /// - Returns: The signed content.
    /// - Throws: ``WSSecurityError`` where the message is refused.
    public func verify(
        _ envelope: [UInt8], at time: Date = Date(), replays: inout ReplayCache
    ) throws(WSSecurityError) -> VerifiedMessage {
        var envelope = try Envelope(envelope, limits: policy.signatures.limits)
        guard var security = try envelope.security(for: policy.actor) else { throw .noSecurityHeader }
        let order = security.children.first { $0.name == .signature || $0.name.isOfEncryption }
        let isEncryptedFirst = order?.name.isOfEncryption ?? false
        if isEncryptedFirst {
            try decrypt(envelope.tree)
            envelope = try Envelope(envelope.tree)
            guard let decrypted = try envelope.security(for: policy.actor) else { throw .noSecurityHeader }
            security = decrypted
        }
        let signatures = security.children.filter { $0.name == .signature }
        guard !signatures.isEmpty else { throw .noSignature }
        guard signatures.count <= Self.mostSignatures else { throw .tooManySignatures(most: Self.mostSignatures) }
        var failure: WSSecurityError?
        var valid: [SignedParts] = []
        for signature in signatures {
            do throws(WSSecurityError) {
                valid.append(try SignedParts(envelope, security, signature, policy, at: time))
            } catch {
                // The signatures of others may stand beside the one that counts.
                failure = failure ?? error
            }
        }
        guard var parts = valid.first else { throw failure ?? .noSignature }
        // All are remembered: with one of several signatures taken away, the message would look like another one.
        try replays.insert(
            valid.compactMap { parts in parts.timestamp.map { (parts.identifier, $0.end(policy)) } }, at: time)
        if !isEncryptedFirst { try decryptContents(of: &parts, in: envelope) }
        return parts.message
    }

    private func decrypt(_ tree: XMLTree, keysIn message: XMLTree? = nil) throws(WSSecurityError) {
        _ = try inEncryption { () throws(XMLEncryptionError) in
            try XMLDecryptor(keys: policy.decryptionKeys, policy: policy.encryption)
                .decrypt(tree, keysIn: message ?? tree)
        }
    }

    /// Decrypts a body that was signed after it had been encrypted.
    private func decryptContents(of parts: inout SignedParts, in envelope: Envelope) throws(WSSecurityError) {
        guard parts.message.body != nil, envelope.body.children.contains(where: { $0.name.isOfEncryption }) else {
            return
        }
        guard let signed = parts.message.body, !policy.trustsUnsignedPrefixes else {
            try decrypt(envelope.tree)
            parts.message.body = try ScopedBytes.bytes(of: envelope.body, in: envelope.tree)
            return
        }
        // The declarations around the body are not signed, and could give what was encrypted another meaning.
        let body = try inDocument { () throws(XMLDocumentError) in
            try XMLTree(parsing: signed, limits: policy.signatures.limits)
        }
        try decrypt(body, keysIn: envelope.tree)
        parts.message.body = try ScopedBytes.bytes(of: body.root, in: body)
    }
}

extension XMLName {
    /// Whether it names something of XML Encryption's.
    fileprivate var isOfEncryption: Bool { namespace == XMLName.encryptionNamespace }
}
