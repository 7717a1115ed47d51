// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509
public import XMLDocuments

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The signed content of a verified message.
public struct VerifiedMessage: Sendable {
    /// A header that was signed.
    public struct Header: Hashable, Sendable {
        /// The name of the header's element.
        public let name: XMLName
        /// The position of the element among the message's headers of the name, from 1; `nil` if it is the only one.
        public let position: Int?
        /// The header's element in its canonical form, as a document.
        public let bytes: [UInt8]
    }

    /// The Body in its canonical form, as a document; `nil` where it is not signed, and the policy does not require that it is.
    public internal(set) var body: [UInt8]?
    /// The headers that were signed, in the order of the references.
    public let headers: [Header]
    /// The signer's certificate; `nil` where the policy trusts a key or a secret instead of certificates.
    public let certificate: Certificate?
    /// The time at which the message was created; `nil` where no signed part says it.
    public let created: Date?
    /// The time at which the message expires; `nil` where no signed part says it.
    public let expires: Date?
    /// The namespace of the envelope.
    let namespace: SOAPEnvelopeNamespace

    /// An envelope that holds the signed headers and the signed Body, and nothing else.
    ///
    /// Read it instead of the received message.
    public var envelope: [UInt8] {
        // No value can use the prefix by accident.
        let prefix = "verified-envelope"
        let head = """
            <\(prefix):Envelope xmlns:\(prefix)="\(namespace.rawValue)"><\(prefix):Header>
            """
        let middle = "</\(prefix):Header>"
        return Array(head.utf8) + headers.flatMap(\.bytes) + Array(middle.utf8) + (body ?? [])
            + Array("</\(prefix):Envelope>".utf8)
    }
}
