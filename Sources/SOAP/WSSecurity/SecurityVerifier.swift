// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import X509
public import XMLDocuments
internal import XMLEncryption
internal import XMLSignature

/// Verifies signed messages, and returns the signed content (SOAP Message Security 1.1).
///
/// ```swift
/// var replays = ReplayCache()
/// let verifier = SecurityVerifier(policy: SecurityPolicy(anchors: [root]))
/// let message = try verifier.verify(received, replays: &replays)
/// ```
///
/// Callers must read only the returned bytes and nothing else of the message. The verifier accepts a signed element
/// only at its required position, which defeats signature wrapping: a signed body that was moved does not authenticate
/// another one.
public struct SecurityVerifier: Sendable {
    /// The requirements for messages.
    public var policy: SecurityPolicy

    /// The maximum number of signatures in a message.
    private static let maximumSignatureCount = 5

    /// Creates a verifier with the requirements for messages.
    public init(policy: SecurityPolicy) { self.policy = policy }

    /// Verifies a message.
    ///
    /// - Parameters:
    ///   - envelope: The received message, SOAP 1.1 or 1.2.
    ///   - time: The time at which certificates and the message must be valid; the current time by default.
    ///   - replays: The replay cache, which refuses a message that is received again before it expires. Messages
    ///     without a signed timestamp are not cached.
    /// - Returns: The signed content.
    /// - Throws: ``WSSecurityError`` if the message is refused.
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
        guard signatures.count <= Self.maximumSignatureCount else {
            throw .tooManySignatures(limit: Self.maximumSignatureCount)
        }
        var failure: WSSecurityError?
        var valid: [SignedParts] = []
        for signature in signatures {
            do throws(WSSecurityError) {
                valid.append(try SignedParts(envelope, security, signature, policy, at: time))
            } catch {
                // There may be signatures of other parties in addition to the accepted one.
                failure = failure ?? error
            }
        }
        guard var parts = valid.first else { throw failure ?? .noSignature }
        // All identifiers are cached: otherwise the message could be replayed with one of several signatures removed.
        try replays.insert(
            valid.compactMap { parts in parts.timestamp.map { (parts.identifier, $0.end(policy)) } }, at: time)
        if !isEncryptedFirst { try decryptContents(of: &parts, in: envelope) }
        return parts.message
    }

    private func decrypt(_ tree: XMLTree, keysIn message: XMLTree? = nil) throws(WSSecurityError) {
        _ = try withEncryptionErrors { () throws(XMLEncryptionError) in
            try XMLDecryptor(keys: policy.decryptionKeys, policy: policy.encryption)
                .decrypt(tree, keysIn: message ?? tree)
        }
    }

    /// Decrypts a body that was encrypted before it was signed.
    private func decryptContents(of parts: inout SignedParts, in envelope: Envelope) throws(WSSecurityError) {
        guard parts.message.body != nil, envelope.body.children.contains(where: { $0.name.isOfEncryption }) else {
            return
        }
        guard let signed = parts.message.body, !policy.trustsUnsignedPrefixes else {
            try decrypt(envelope.tree)
            parts.message.body = try ScopedBytes.bytes(of: envelope.body, in: envelope.tree)
            return
        }
        // The declarations outside the body are not signed, and could change the meaning of the decrypted content.
        let body = try withDocumentErrors { () throws(XMLDocumentError) in
            try XMLTree(parsing: signed, limits: policy.signatures.limits)
        }
        try decrypt(body, keysIn: envelope.tree)
        parts.message.body = try ScopedBytes.bytes(of: body.root, in: body)
    }
}

extension XMLName {
    /// Whether the name is in the XML Encryption namespace.
    fileprivate var isOfEncryption: Bool { namespace == XMLName.encryptionNamespace }
}

/// The signed content of a verified message.
public struct VerifiedMessage: Sendable {
    /// A signed header.
    public struct Header: Hashable, Sendable {
        /// The name of the header's element.
        public let name: XMLName
        /// The position of the element among the headers with the same name, from 1; `nil` if it is the only one.
        public let position: Int?
        /// The canonical form of the header element, as a document.
        public let bytes: [UInt8]
    }

    /// The canonical form of the Body, as a document; `nil` if it is not signed and the policy does not require it.
    public internal(set) var body: [UInt8]?
    /// The signed headers, in the order of the references.
    public let headers: [Header]
    /// The signer's certificate; `nil` if the policy trusts a key or a secret instead of certificates.
    public let certificate: Certificate?
    /// The creation time of the message; `nil` if no signed part contains it.
    public let created: Date?
    /// The expiry time of the message; `nil` if no signed part contains it.
    public let expiry: Date?
    /// The namespace of the envelope.
    let namespace: SOAPEnvelopeNamespace

    /// An envelope with only the signed headers and the signed Body.
    ///
    /// Read it instead of the received message.
    public var envelope: [UInt8] {
        // A long prefix, so that no value in the message uses it by accident.
        let prefix = "verified-envelope"
        let head = """
            <\(prefix):Envelope xmlns:\(prefix)="\(namespace.rawValue)"><\(prefix):Header>
            """
        let middle = "</\(prefix):Header>"
        return Array(head.utf8) + headers.flatMap(\.bytes) + Array(middle.utf8) + (body ?? [])
            + Array("</\(prefix):Envelope>".utf8)
    }
}

/// The parts that one signature signs, at their required positions.
private struct SignedParts {
    var message: VerifiedMessage
    let timestamp: ReceivedTimestamp?
    /// The identifier that detects a replay of the message.
    let identifier: [UInt8]

    /// Verifies a signature, and checks that it signs the parts that the policy requires.
    init(
        _ envelope: Envelope, _ security: XMLElement, _ signature: XMLElement, _ policy: SecurityPolicy, at time: Date
    ) throws(WSSecurityError) {
        let verified: VerifiedSignature
        let elements: [XMLElement?]
        do {
            (verified, elements) = try policy.verifier(at: time).verify(signature, in: envelope.tree)
        } catch { throw .signature(error) }
        var signed: [XMLElement: [UInt8]] = [:]
        for (content, element) in zip(verified.contents, elements) where content.isCompleteElement {
            if let element { signed[element] = content.bytes }
        }
        try Self.check(policy.signedParts, in: envelope, security) { signed[$0] != nil }

        if policy.signedParts.contains(.certificate), let certificate = verified.certificate {
            let tokens = envelope.elements(of: .certificate, security).filter { signed[$0] != nil }
            guard KeyHints(tokens: tokens).certificates.contains(certificate) else { throw .notSigned(.certificate) }
        }
        timestamp = try Self.timestamp(envelope.elements(of: .timestamp, security), signed)
        try timestamp?.check(policy, at: time)
        func bytes(_ element: XMLElement) throws(WSSecurityError) -> [UInt8]? {
            guard signed[element] != nil, policy.trustsUnsignedPrefixes else { return signed[element] }
            return try ScopedBytes.bytes(of: element, in: envelope.tree)
        }
        var headers: [VerifiedMessage.Header] = []
        for element in elements.compactMap(\.self) where element.parent == envelope.header && element != security {
            guard let bytes = try bytes(element) else { continue }
            let same = (envelope.header?.children ?? []).filter { $0.name == element.name }
            let position = same.count > 1 ? same.firstIndex(of: element).map { $0 + 1 } : nil
            headers.append(.init(name: element.name, position: position, bytes: bytes))
        }
        message = VerifiedMessage(
            body: try bytes(envelope.body), headers: headers, certificate: verified.certificate,
            created: timestamp?.created, expiry: timestamp?.expires, namespace: envelope.namespace)
        identifier = verified.identifier
    }

    /// Refuses a message if a required part is missing, or is not signed at its position.
    private static func check(
        _ parts: [MessagePart], in envelope: Envelope, _ security: XMLElement, isSigned: (XMLElement) -> Bool
    ) throws(WSSecurityError) {
        for part in parts {
            let elements = envelope.elements(of: part, security)
            guard !elements.isEmpty else { throw .missingPart(part) }
            guard elements.allSatisfy(isSigned) else { throw .notSigned(part) }
        }
    }

    private static func timestamp(
        _ found: [XMLElement], _ signed: [XMLElement: [UInt8]]
    ) throws(WSSecurityError) -> ReceivedTimestamp? {
        // The standard forbids a second Timestamp.
        guard found.count <= 1 else { throw .malformedHeader(element: "Timestamp", line: found[1].line) }
        guard let bytes = found.first.flatMap({ signed[$0] }) else { return nil }
        return try ReceivedTimestamp(bytes)
    }
}
