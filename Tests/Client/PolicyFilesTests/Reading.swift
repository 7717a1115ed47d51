// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Foundation
import PolicyFiles
import TrustRecipes
import X509

/// A reader of test policy files, with the anchor file and log list to which they may refer.
struct Reading {
    struct NoSuchFile: Error {}

    static let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    static let otherPin = "sha256/AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="

    let root: Certificate
    /// The log list, made on 2026-05-20.
    let logs: TransparencyLogList

    init() throws {
        root = try TestAuthority(root: .authority("Corp Root")).certificate
        logs = try TransparencyLogList(json: TestLog.json([TestLog("one", by: "A")]))
    }

    /// Reads a policy file; the only anchor file is `root.pem`, and the only log list `logs.json`.
    func file(_ bytes: [UInt8], at time: Date = Instant.now) throws(PolicyFileError) -> PolicyFile {
        try PolicyFile(
            bytes, name: "policy.yaml", at: time,
            hostNames: { text throws(HostNameError) in try HostName(text.replacing("bücher", with: "xn--bcher-kva")) },
            logLists: { [logs] path in
                guard path == "logs.json" else { throw NoSuchFile() }
                return logs
            },
            anchors: { [root] path in
                guard path == "root.pem" else { throw NoSuchFile() }
                return [CertificateSummary(root)]
            })
    }

    func file(_ text: String, at time: Date = Instant.now) throws(PolicyFileError) -> PolicyFile {
        try file(Array(text.utf8), at: time)
    }

    /// Returns "read" or the position and reason of the error, without type names.
    func error(_ bytes: [UInt8]) -> String {
        do throws(PolicyFileError) {
            _ = try file(bytes)
            return "read"
        } catch {
            return Self.text(of: error)
        }
    }

    /// Returns the positions and reasons of all errors.
    func errors(_ text: String) -> [String] {
        do throws(PolicyFileError) {
            _ = try file(text)
            return []
        } catch {
            return ([error] + error.others).map(Self.text)
        }
    }

    private static func text(of error: PolicyFileError) -> String {
        "\(error.place.line):\(error.place.column) \(error.place.key) \(error.reason)"
            .replacing("CertificateTrust.", with: "").replacing("PolicyFileError.", with: "")
            .replacing("PolicyFiles.", with: "")
    }

    func error(_ text: String) -> String { error(Array(text.utf8)) }

    func warnings(_ text: String, at time: Date = Instant.now) throws -> [String] {
        try file(text, at: time).warnings.map { "\($0.place.line) \($0.place.key) \($0.reason)" }
    }
}
