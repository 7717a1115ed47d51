// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import ErrorExplanations
import EssentialFoundation
import SwiftASN1
import X509
import XMLSignature

/// The outcome of a test vector.
struct Outcome {
    enum Kind: String, CaseIterable {
        case verified
        case refused
        /// An unsupported algorithm, kind of key, or truncated code, which the error names.
        case unsupported
        case unexpected
    }

    let kind: Kind
    let text: String

    init(of row: VectorRow, in folder: URL) {
        do {
            try Vector(row: row, folder: folder).verify()
            let isExpected = row.expected == .valid || row.dependsOnPolicy
            (kind, text) = (isExpected ? .verified : .unexpected, "It verifies.")
        } catch let error as XMLSignatureError {
            text = error.explanation.message
            kind =
                switch (row.expected, error) {
                case (.valid, _) where row.isBeyondStandards: .unsupported
                case (_, .unsupportedAlgorithm), (.valid, .unusableKey), (.valid, .truncatedCode): .unsupported
                case (.invalid, _): .refused
                case (.valid, _): .unexpected
                }
        } catch {
            (kind, text) = (.unexpected, "\(error)")
        }
    }
}

/// A test vector, with the functions that verify it.
struct Vector {
    let row: VectorRow
    let folder: URL

    func verify() throws {
        let document = try bytes(row.file)
        var policy = SignaturePolicy(
            algorithms: Set(XMLSignatureAlgorithm.allCases), digests: Set(XMLDigestAlgorithm.allCases),
            allowsXPath: true)
        policy.limits.allowsDocumentType = true
        let signers = try signers(document, policy.limits)
        let attachments = try attachments(document)
        var failure: (any Error)?
        for signer in signers {
            do {
                _ = try SignatureVerifier(trusting: signer, policy: policy).verify(document, attachments: attachments)
                return
            } catch { failure = failure ?? error }
        }
        // A certificate that cannot be read has an unsupported kind of key.
        if failure as? XMLSignatureError == .noCertificate, try !unreadable.isEmpty {
            throw XMLSignatureError.unusableKey
        }
        throw failure ?? XMLSignatureError.noCertificate
    }

    private var unreadable: [String] {
        get throws {
            let names = ["--pubkey-cert-$cert_format", "--pubkey-cert-der", "--untrusted-$cert_format"]
            return try names.flatMap(row.values).filter { try certificate($0) == nil }
        }
    }

    private func signers(_ document: [UInt8], _ limits: XMLLimits) throws -> [SignatureVerifier.Signer] {
        if let file = row.values("--hmackey").first { return [.secret(try bytes(file))] }
        if let file = row.values("$pub_key_option").first {
            let pem = try PEMDocument(pemString: String(decoding: bytes(file), as: UTF8.self))
            guard let key = try? Certificate.PublicKey(derEncoded: pem.derBytes) else { return [certified([], [])] }
            return [.key(key)]
        }
        let given = ["--pubkey-cert-$cert_format", "--pubkey-cert-der"].flatMap(row.values)
        if let file = given.first, !row.has("--verify-keys") {
            return [try certificate(file).map { .key($0.publicKey) } ?? certified([], [])]
        }
        let hints = try KeyHints(document: document, limits: limits)
        let isAnyTrusted = row.has("--insecure") || row.has("--X509-skip-time-checks")
        let trusted = try row.values("--trusted-$cert_format").compactMap(certificate)
        let known = try (given + row.values("--untrusted-$cert_format")).compactMap(certificate)
        return [certified(trusted, known + trusted)]
            + (row.isKeyEnabled ? hints.keys.map { .key($0) } : [])
            + (isAnyTrusted ? (hints.certificates + known).map { .key($0.publicKey) } : [])
    }

    private func certified(_ trusted: [Certificate], _ known: [Certificate]) -> SignatureVerifier.Signer {
        let lists = row.values("--crl-$cert_format").compactMap { name -> CertificateRevocationList? in
            guard let bytes = try? bytes(name) else { return nil }
            let pem = try? PEMDocument(pemString: String(decoding: bytes, as: UTF8.self))
            return try? CertificateRevocationList(derEncoded: pem?.derBytes ?? bytes)
        }
        let policy = TrustPolicy(anchors: .only(trusted), revocation: lists.isEmpty ? .whereDemanded : .softFail)
        return .certificate(
            CertifiedSigner(
                evaluator: TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])), known: known,
                evidence: TrustEvidence(revocation: RevocationEvidence(lists: lists, responses: [])), at: row.time))
    }

    private func attachments(_ document: [UInt8]) throws -> [String: [UInt8]] {
        let sheet = row.has("$url_map_xml_stylesheet_2018") ? "xml-stylesheet-2018" : "xml-stylesheet-2005"
        var found = try [
            "http://www.w3.org/TR/xml-stylesheet": sheet,
            "http://www.w3.org/Signature/2002/04/xml-stylesheet.b64": "xml-stylesheet-2005.b64",
            "http://www.ietf.org/rfc/rfc3161.txt": "rfc3161.txt",
        ].mapValues { try bytes("external-data/\($0)") }
        for match in String(decoding: document, as: UTF8.self).matches(of: #/URI="([^"#:]+)"/#) {
            found[String(match.1)] = try? bytes(String(match.1))
        }
        return found
    }

    /// Returns a certificate; `nil` if its kind of key is not supported.
    private func certificate(_ file: String) throws -> Certificate? {
        let bytes = try bytes(file)
        guard bytes.first != 0x30 else { return try? Certificate(derEncoded: bytes) }
        return try? Certificate(pemEncoded: String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the bytes of a file in the manifest, whose name may omit the extension and be relative to the suite.
    private func bytes(_ name: String) throws -> [UInt8] {
        let suite = String(row.file.prefix { $0 != "/" })
        for form in ["pem", "der"] {
            let file = name.replacing("$rsa_pub_key_suffix", with: "").replacing("$pub_key_format", with: form)
                .replacing("$cert_format", with: form)
            for path in ["\(suite)/\(file)", file] {
                if let data = try? Data(contentsOf: folder.appending(path: path)) { return Array(data) }
            }
        }
        throw ValidationError("There is no file \(name).")
    }
}

/// A row of the manifest: a file, whether it verifies, and xmlsec's options for the source of the key.
struct VectorRow: Decodable {
    enum Expected: String, Decodable {
        case valid, invalid
    }

    let file: String
    let expected: Expected
    let options: String

    enum CodingKeys: String, CodingKey {
        case file, expected
        case options = "key_options"
    }

    /// Returns the values of an option; those that name files are paths within the folder.
    func values(_ name: String) -> [String] {
        let words = options.split(separator: " ").map(String.init)
        return words.indices.dropLast().filter { words[$0].prefix { $0 != ":" } == name[...] }.map { words[$0 + 1] }
    }

    func has(_ name: String) -> Bool { options.split(separator: " ").contains { $0.prefix { $0 != ":" } == name[...] } }

    /// Whether a key in the message is trusted.
    var isKeyEnabled: Bool {
        values("--enabled-key-data").contains {
            !Set($0.split(separator: ",")).isDisjoint(with: ["rsa", "ec", "eddsa"])
        }
    }

    /// Whether the vector needs xmlsec's extensions: ECDSA signatures in DER, or key agreement with ML-KEM.
    var isBeyondStandards: Bool { has("--enable-asn1-signatures-hack") || has("$mlkem_priv_key_option") }

    /// Whether it is invalid only because xmlsec refuses a signer whose only revocation list is outdated.
    ///
    /// In this library, the policy decides about that, and this program's policy does not require a list.
    var dependsOnPolicy: Bool {
        has("--verify-crls") && values("--verification-gmt-time").first?.hasPrefix("2026-05") == true
    }

    /// The time at which certificates are checked.
    var time: Date {
        let text = values("--verification-gmt-time").first?.replacing("+", with: "T")
        return text.flatMap { try? Date("\($0)Z", strategy: .iso8601) } ?? Date()
    }
}
