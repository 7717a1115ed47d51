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
    /// Whether all of it is as DER and the standard have it; otherwise it cannot show that a certificate is good.
    let isFormal: Bool

    /// Reads a response as far as it can be read: in spite of formal faults it can still show that a certificate is revoked.
    init(_ bytes: ArraySlice<UInt8>) throws(RevocationEncodingError) {
        var outer = DERReader(bytes)
        var parts = DERReader(try outer.only(DERTag.sequence, .structure).content)
        signed = try SignedObject(from: &parts)
        certificates = try Self.certificates(in: &parts)
        try parts.finish(.structure)
        var signedReader = DERReader(signed.signedBytes)
        var fields = try signedReader.open(DERTag.sequence, .structure)
        var isFormal = true
        // The only version is the default one, which DER does not say.
        if let version = try fields.takeIfPresent(DERTag.constructed(0), .version) {
            guard version.content.elementsEqual([DERTag.integer, 1, 0]) else { throw .unsupportedVersion }
            isFormal = false
        }
        responder = try OCSPResponderID(from: &fields)
        producedAt = try fields.takeTime(isGeneralized: true, &isFormal)
        answers = try Self.answers(in: fields.open(DERTag.sequence, .structure), &isFormal)
        extensions = try EncodedExtension.all(tagged: 1, in: &fields, &isFormal)
        self.isFormal = isFormal && fields.isAtEnd
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

    /// One that cannot be read takes nothing from the others.
    private static func answers(
        in reader: DERReader, _ isFormal: inout Bool
    ) throws(RevocationEncodingError) -> [OCSPAnswer] {
        var (reader, count) = (reader, 0)
        var answers: [OCSPAnswer] = []
        var problem: RevocationEncodingError?
        while !reader.isAtEnd {
            guard count < answerLimit else { throw .tooMany(.status) }
            count += 1
            let fields = try reader.open(DERTag.sequence, .structure)
            do throws(RevocationEncodingError) {
                answers.append(try OCSPAnswer(fields))
            } catch {
                problem = problem ?? error
            }
        }
        if let problem {
            guard !answers.isEmpty else { throw problem }
            isFormal = false
        }
        return answers
    }
}
