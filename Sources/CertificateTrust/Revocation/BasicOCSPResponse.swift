// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The signed part of a response (RFC 6960 section 4.2.1).
struct BasicOCSPResponse: Hashable, Sendable {
    /// A response to our requests has one; those made beforehand may have a few more.
    private static let answerLimit = 64
    /// Responders send one certificate, and some the path above it.
    private static let certificateLimit = 8

    let signed: SignedObject
    let responder: OCSPResponderID
    let producedAt: Date
    let answers: [OCSPAnswer]
    let extensions: [EncodedExtension]
    /// As they were encoded: only one that signed is worth reading.
    let certificates: [ArraySlice<UInt8>]

    init(_ bytes: ArraySlice<UInt8>) throws(RevocationEncodingError) {
        var outer = DERReader(bytes)
        var parts = DERReader(try outer.only(DERTag.sequence, .structure).content)
        signed = try SignedObject(from: &parts)
        certificates = try Self.certificates(in: &parts)
        try parts.finish(.structure)
        var signedReader = DERReader(signed.signedBytes)
        var fields = try signedReader.open(DERTag.sequence, .structure)
        // The only version is the default one, which DER does not say.
        guard fields.rest.first != DERTag.constructed(0) else { throw .unsupportedVersion }
        responder = try OCSPResponderID(from: &fields)
        producedAt = try fields.takeGeneralizedTime()
        answers = try Self.answers(in: fields.open(DERTag.sequence, .structure))
        extensions = try EncodedExtension.all(tagged: 1, in: &fields)
        try fields.finish(.structure)
    }

    private static func certificates(
        in parts: inout DERReader
    ) throws(RevocationEncodingError) -> [ArraySlice<UInt8>] {
        guard var tagged = try parts.openIfPresent(DERTag.constructed(0), .certificate) else { return [] }
        var reader = DERReader(try tagged.only(DERTag.sequence, .certificate).content)
        var certificates: [ArraySlice<UInt8>] = []
        while !reader.rest.isEmpty {
            guard certificates.count < certificateLimit else { throw .tooMany(.certificate) }
            certificates.append(try reader.take(DERTag.sequence, .certificate).bytes)
        }
        return certificates
    }

    private static func answers(in reader: DERReader) throws(RevocationEncodingError) -> [OCSPAnswer] {
        var reader = reader
        var answers: [OCSPAnswer] = []
        while !reader.rest.isEmpty {
            guard answers.count < answerLimit else { throw .tooMany(.status) }
            answers.append(try OCSPAnswer(from: &reader))
        }
        return answers
    }
}
