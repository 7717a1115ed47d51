// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLSignature

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The parts of a message that one signature signs, where they must stand.
struct SignedParts {
    var message: VerifiedMessage
    let timestamp: ReceivedTimestamp?
    /// By which the message is recognized where it comes again.
    let identifier: [UInt8]

    /// Verifies a signature, and that it signs what the policy demands.
    init(
        _ envelope: Envelope, _ security: XMLElement, _ signature: XMLElement, _ policy: SecurityPolicy, at time: Date
    ) throws(WSSecurityError) {
        let verified: VerifiedSignature
        let elements: [XMLElement?]
        do {
            (verified, elements) = try policy.verifier(at: time).verify(signature, in: envelope.tree)
        } catch { throw .signature(error) }
        var signed: [XMLElement: [UInt8]] = [:]
        for (content, element) in zip(verified.contents, elements) where content.isWholeElement {
            if let element { signed[element] = content.bytes }
        }
        try Self.check(policy.signedParts, in: envelope, security, signature) { signed[$0] != nil }

        if policy.signedParts.contains(.certificate), let certificate = verified.certificate {
            let tokens = security.children.filter { $0.name == .wsse("BinarySecurityToken") && signed[$0] != nil }
            guard KeyHints(tokens: tokens).certificates.contains(certificate) else { throw .notSigned(.certificate) }
        }
        timestamp = try Self.timestamp(security, signed)
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
            created: timestamp?.created, expires: timestamp?.expires, namespace: envelope.namespace)
        identifier = verified.identifier
    }

    /// Refuses a message of which a part that must be signed is not there, or is not signed where it stands.
    private static func check(
        _ parts: [MessagePart], in envelope: Envelope, _ security: XMLElement, _ signature: XMLElement,
        isSigned: (XMLElement) -> Bool
    ) throws(WSSecurityError) {
        for part in parts {
            let elements =
                switch part {
                case .body: [envelope.body]
                case .header(let name): (envelope.header?.children ?? []).filter { $0.name == name }
                case .timestamp: security.children.filter { $0.name == .wsu("Timestamp") }
                case .usernameToken: security.children.filter { $0.name == .wsse("UsernameToken") }
                case .certificate: security.children.filter { $0.name == .wsse("BinarySecurityToken") }
                }
            guard !elements.isEmpty else { throw .missingPart(part) }
            guard elements.allSatisfy(isSigned) else { throw .notSigned(part) }
        }
    }

    private static func timestamp(
        _ security: XMLElement, _ signed: [XMLElement: [UInt8]]
    ) throws(WSSecurityError) -> ReceivedTimestamp? {
        let found = security.children.filter { $0.name == .wsu("Timestamp") }
        // The standard forbids a second one.
        guard found.count <= 1 else { throw .malformedHeader(element: "Timestamp", line: found[1].line) }
        guard let bytes = found.first.flatMap({ signed[$0] }) else { return nil }
        return try ReceivedTimestamp(bytes)
    }
}
