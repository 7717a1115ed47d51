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
        /// The name of its element.
        public let name: XMLName
        /// Its element in its canonical form, a document by itself.
        public let bytes: [UInt8]
    }

    /// The body's element in its canonical form, a document by itself; `nil` where the policy does not demand that it
    /// is signed, and it is not.
    public internal(set) var body: [UInt8]?
    /// The headers that were signed, in the order of the references.
    public let headers: [Header]
    /// The signer's certificate, where the signer is known by one.
    public let certificate: Certificate?
    /// When the message was made; `nil` where that is not signed.
    public let created: Date?
    /// Until when the message counts; `nil` where that is not signed.
    public let expires: Date?
    /// The namespace of the envelope.
    let namespace: SOAPEnvelopeNamespace

    /// An envelope with the headers and the body, and nothing else.
    ///
    /// Read it in the place of the message.
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
