// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import EssentialFoundation

/// A Certificate Transparency log of a lab, which signs timestamps and publishes nothing (RFC 6962).
struct LabLog: Sendable {
    let name: String
    let operatorName: String
    private let key = P256.Signing.PrivateKey()

    private var publicKey: Data { key.publicKey.derRepresentation }
    private var id: Data { Data(SHA256.hash(data: publicKey)) }

    init(_ name: String, by operatorName: String) { (self.name, self.operatorName) = (name, operatorName) }

    /// Signs a timestamp for a certificate (section 3.2).
    ///
    /// - Parameters:
    ///   - certificate: The issued certificate in DER.
    ///   - time: The time of the timestamp.
    /// - Returns: The SignedCertificateTimestamp.
    /// - Throws: The error of the key.
    func timestamp(for certificate: [UInt8], at time: Date) throws -> [UInt8] {
        let milliseconds = Self.integer(Int(time.timeIntervalSince1970 * 1_000), octets: 8)
        // Version 1, the type certificate_timestamp and an X.509 entry without extensions.
        let signed = [0, 0] + milliseconds + [0, 0] + Self.vector(certificate, octets: 3) + [0, 0]
        let signature = try key.signature(for: signed).derRepresentation
        // The algorithms are SHA-256 and ECDSA (RFC 5246 section 7.4.1.4.1).
        return [0] + id + milliseconds + [0, 0] + [4, 3] + Self.vector(Array(signature), octets: 2)
    }

    /// Returns a SignedCertificateTimestampList, with its length (section 3.3).
    static func list(_ timestamps: [[UInt8]]) -> [UInt8] {
        vector(timestamps.flatMap { vector($0, octets: 2) }, octets: 2)
    }

    /// Returns a list of logs in version 3 of the schema of Google's list.
    static func json(of logs: [LabLog]) throws -> [UInt8] {
        try Array(JSONEncoder().encode(LabLogList(operators: logs.map(\.entry))))
    }

    private var entry: LabLogList.Operator {
        .init(
            name: operatorName,
            logs: [
                .init(
                    description: name, log_id: id, key: publicKey, url: "https://\(operatorName).test/", mmd: 86_400,
                    state: ["usable": ["timestamp": "2026-01-01T00:00:00Z"]])
            ])
    }

    private static func vector(_ bytes: [UInt8], octets: Int) -> [UInt8] {
        integer(bytes.count, octets: octets) + bytes
    }

    private static func integer(_ value: Int, octets: Int) -> [UInt8] {
        (0..<octets).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

/// The members of a log list that clients read, with the names of the schema.
private struct LabLogList: Encodable {
    struct Operator: Encodable {
        let name: String
        let email: [String] = []
        let logs: [Log]
        let tiled_logs: [Log] = []
    }

    struct Log: Encodable {
        let description: String
        let log_id: Data
        let key: Data
        let url: String
        /// The maximum merge delay in seconds.
        let mmd: Int
        let state: [String: [String: String]]
    }

    let version = "3.0"
    let operators: [Operator]
}
