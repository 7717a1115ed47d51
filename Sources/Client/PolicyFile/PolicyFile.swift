// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The contents of a policy file: the policies of servers, and warnings about entries that the author may not have meant.
public struct PolicyFile: Sendable {
    /// The policies of domains, and of all other servers.
    public let policies: DomainPolicies
    /// The warnings, in the order of the file.
    public let warnings: [PolicyFileWarning]

    /// Reads a policy file of version 1; the module's article describes the schema.
    ///
    /// - Parameters:
    ///   - bytes: The file: YAML 1.2 in UTF-8, one document of at most 1 MiB.
    ///   - name: The name of the file in errors and warnings.
    ///   - time: The instant for warnings about pins, anchors and lists of logs that are out of date.
    ///   - logLists: Reads a list of logs from the path that the file has, unchanged; `nil` refuses files that name one.
    ///   - anchors: Reads certificates from the path that the file has, unchanged.
    /// - Throws: ``PolicyFileError`` for the first defect; an error of a closure is its reason.
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
