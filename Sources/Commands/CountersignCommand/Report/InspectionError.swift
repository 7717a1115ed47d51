// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorExplanations

/// What is wrong with what an inspection was given.
enum InspectionError: Error, Hashable {
    /// A file with a key, where certificates are needed.
    case pkcs12
    /// Nothing of TLS is spoken there.
    case plainHTTP(String)
    case time(String)
    /// These flags are for servers only.
    case flagOfServers(String)
    /// These flags are for files only.
    case flagOfFiles(String)
    /// A list or a response that is about other certificates.
    case unrelatedEvidence
}

extension InspectionError: CataloguedError {
    var explanation: ErrorExplanation {
        switch self {
        case .pkcs12:
            ErrorExplanation(
                "file.pkcs12", "The file is PKCS#12, which holds a private key beside the certificates.",
                reason: "Only certificates are inspected; the key stays closed.",
                advice: "Extract the certificates: openssl pkcs12 -in FILE -nokeys -out chain.pem")
        case .plainHTTP(let url):
            ErrorExplanation(
                "usage.plain-http", "\(url) is a URL of plain http, which has no certificates.",
                reason: "Only servers of TLS present certificates.", advice: "Give HOST:PORT or an https: URL.")
        case .time(let text):
            ErrorExplanation(
                "usage.time", "\"\(text)\" is not a date and time that exists.",
                reason: "Dates are read as ISO 8601 writes them.",
                advice: "Write it as 2026-11-21 or 2026-11-21T10:00:00Z.")
        case .flagOfServers(let flag):
            ErrorExplanation(
                "usage.option-for-servers", "\(flag) is for servers, and a file was given.",
                reason: "A file is evaluated without any connection.", advice: "Leave it out, or give HOST:PORT.")
        case .flagOfFiles(let flag):
            ErrorExplanation(
                "usage.option-for-files", "\(flag) is for files, and a server was given.",
                reason: "A server is compared with its own name.", advice: "Leave it out, or give a file.")
        case .unrelatedEvidence:
            ErrorExplanation(
                "file.unrelated-evidence", "It is about no certificate of the chain below the anchor.",
                reason:
                    "A revocation list is about the certificates of its issuer, an OCSP response about those it names.",
                advice: "Give the list of the issuer of a certificate of the chain, or leave the file out.")
        }
    }

    static var examples: [InspectionError] {
        [
            .pkcs12, .plainHTTP("http://localhost:8080/"), .time("2026-02-30"), .flagOfServers("--proxy"),
            .flagOfFiles("--host"), .unrelatedEvidence,
        ]
    }
}
