// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A policy file, read: what it asks of which server, and what its author may not have meant.
public struct PolicyFile: Sendable {
    /// The policy of each domain.
    public let policies: DomainPolicies
    /// The warnings, in the order of the file.
    public let warnings: [PolicyFileWarning]

    /// Reads a policy file of version 1; the module's article describes the schema.
    ///
    /// - Parameters:
    ///   - bytes: The file: YAML 1.2 in UTF-8, one document of at most 1 MiB.
    ///   - name: How errors and warnings call it.
    ///   - time: The instant at which pins and anchors may have expired.
    ///   - logLists: Reads a list of logs that the policy names, by its path as it is written there; `nil` refuses policies that name one.
    ///   - anchors: Reads the certificates of a file that the policy names, by its path as it is written there.
    /// - Throws: ``PolicyFileError``.
    public init(
        _ bytes: some Collection<UInt8>, name: String, at time: Date,
        logLists: ((String) throws -> TransparencyLogList)? = nil,
        anchors: @escaping (String) throws -> [CertificateSummary]
    ) throws(PolicyFileError) {
        let root = try PolicyDocument.root(of: Array(bytes), file: name)
        var reader = PolicyReader(time: time, anchorFile: anchors, logList: logLists)
        policies = try reader.policies(root)
        warnings = reader.warnings.sorted { ($0.place.line, $0.place.column) < ($1.place.line, $1.place.column) }
    }
}
