// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings

/// A certificate of a chain, or a block of a file, that was not read, although the others were.
public struct UnreadCertificate: Hashable, Sendable {
    /// The position in the chain or among the blocks of the file, counted from 1.
    public let position: Int
    /// The number of certificates in the chain, or of blocks in the file.
    public let count: Int
    /// The number of the line on which its PEM block begins, counted from 1; `nil` if it is not in PEM.
    public let line: Int?
    /// The certificate, with the fields that can be read; `nil` if none can be.
    public let certificate: CertificateSummary?
    /// The reason.
    public let problem: CertificateProblem

    /// Describes a certificate that was not read.
    ///
    /// - Parameters:
    ///   - position: The position, counted from 1.
    ///   - count: The number of certificates or blocks.
    ///   - line: The number of the line on which its PEM block begins, counted from 1; `nil` if it is not in PEM.
    ///   - derEncoded: The bytes; `nil` if there are none.
    ///   - problem: The reason.
    package init(
        position: Int, count: Int, line: Int? = nil, derEncoded: [UInt8]? = nil, problem: CertificateProblem
    ) {
        let outline = derEncoded.map { CertificateSummary(ParsedCertificate(unreadable: $0, problem)) }
        self.init(
            position: position, count: count, line: line, certificate: outline.flatMap { $0.isBlank ? nil : $0 },
            problem: problem)
    }

    init(position: Int, count: Int, line: Int?, certificate: CertificateSummary?, problem: CertificateProblem) {
        (self.position, self.count, self.line) = (position, count, line)
        (self.certificate, self.problem) = (certificate, problem)
    }

    /// Its position, line and subject, as in "certificate 3 of 5 (line 41, subject CN=Old Root)", safe to print.
    public var place: String {
        let noun = if case .otherContent = problem { "block" } else { "certificate" }
        let subject = certificate.flatMap { $0.subject.isEmpty ? nil : "subject \($0.subject)" }
        let details = [line.map { "line \($0)" }, subject].compactMap(\.self).joined(separator: ", ")
        return "\(noun) \(position) of \(count)" + (details.isEmpty ? "" : " (\(details))")
    }
}

extension UnreadCertificate: CustomStringConvertible {
    /// The place and the problem, safe to print.
    public var description: String { "\(place): \(problem.clause)" }
}

extension [UnreadCertificate] {
    /// Returns the descriptions of the first certificates, and the number of the others.
    ///
    /// - Parameter limit: The maximum number of descriptions.
    /// - Returns: The descriptions, and "and 23 others" if there are more.
    package func lines(limit: Int = 10) -> [String] {
        let rest = count - limit
        return prefix(limit).map(\.description) + (rest > 0 ? ["and \(rest) other\(rest == 1 ? "" : "s")"] : [])
    }
}
