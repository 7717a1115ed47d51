// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import Challenges
import CommandSupport
import Countersign

/// What `get --json` prints, and every other command that sends a request.
struct TransferReport: Encodable {
    let method: String
    let url: String
    let status: Int
    /// In the order sent.
    let fields: [FieldReport]
    /// How long the body was, as far as it was read.
    let bytes: Int
    let output: String?
    let proxy: String?
    let tls: TLSReport?
    let challenges: [ChallengeReport]
    /// What the status says, where it is no success.
    let error: FailureReport.Contents?

    private enum Key: String, CodingKey {
        case method, url, status, fields, bytes, output, proxy, tls, challenges, certificates, error
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(method, forKey: .method)
        try container.encode(url, forKey: .url)
        try container.encode(status, forKey: .status)
        try container.encode(fields, forKey: .fields)
        try container.encode(bytes, forKey: .bytes)
        try container.encodeIfPresent(output, forKey: .output)
        try container.encodeIfPresent(proxy, forKey: .proxy)
        try container.encodeIfPresent(tls, forKey: .tls)
        try container.encode(challenges, forKey: .challenges)
        try container.encodeIfPresent(tls?.certificates.all, forKey: .certificates)
        try container.encodeIfPresent(error?.about(url), forKey: .error)
    }
}

struct FieldReport: Encodable {
    let name: String
    let value: String
}

extension ConnectionReport.HTTPVersion {
    /// As it stands in a status line.
    var text: String { self == .http2 ? "HTTP/2" : "HTTP/1.1" }
}
