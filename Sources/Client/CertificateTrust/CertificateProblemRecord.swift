// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

/// The JSON form of the reason why a certificate was not read.
package struct CertificateProblemRecord: Codable {
    /// The code of the problem, such as `certificate.malformed`.
    let code: String
    /// The explanation for the user; ignored when decoding.
    let explanation: String
    var field: String?
    /// The name of an algorithm, or the label of a PEM block.
    var name: String?
    var limit: Int?

    package init(_ problem: CertificateProblem) {
        (code, explanation) = (problem.code, problem.explanation.message)
        switch problem {
        case .malformed(let field): self.field = field.rawValue
        case .unsupportedKey(let name), .otherContent(let name): self.name = name
        case .tooManyCertificates(let limit): self.limit = limit
        case .notACertificate, .unsupportedVersion, .notBase64, .unended: break
        }
    }

    /// Returns the problem.
    ///
    /// - Throws: ``RecordError``.
    func problem() throws -> CertificateProblem {
        switch code {
        case "certificate.not-a-certificate": return .notACertificate
        case "certificate.malformed": return .malformed(try required(field.flatMap(CertificateProblem.Field.init)))
        case "certificate.unsupported-version": return .unsupportedVersion
        case "certificate.unsupported-key": return .unsupportedKey(try required(name))
        case "certificate.too-many-certificates": return .tooManyCertificates(limit: try required(limit))
        case "certificate.not-base64": return .notBase64
        case "certificate.unended": return .unended
        case "certificate.other-content": return .otherContent(try required(name))
        default: throw RecordError.unknownCode(code)
        }
    }

    private func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw RecordError.missingValue(code: code) }
        return value
    }
}

/// An error of decoding a record.
enum RecordError: Error, Hashable {
    /// The list does not contain the certificate with this fingerprint.
    case missingCertificate(String)
    /// No failure, remark or request has this code.
    case unknownCode(String)
    /// A value that this code requires is missing.
    case missingValue(code: String)
}
