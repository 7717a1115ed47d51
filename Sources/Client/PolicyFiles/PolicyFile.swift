// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import EssentialFoundation

/// The contents of a policy file: the server policies, and warnings about possibly unintended entries.
public struct PolicyFile: Sendable {
    /// The policies for domains, and the fallback for all other servers.
    public let policies: DomainPolicies
    /// The warnings, in the order of the file.
    public let warnings: [PolicyFileWarning]

    /// Reads a policy file of version 1; the module's article describes the schema.
    ///
    /// - Parameters:
    ///   - bytes: The file: YAML 1.2 in UTF-8, one document of at most 1 MiB.
    ///   - name: The file name for errors and warnings.
    ///   - time: The instant for warnings about outdated pins, anchors and log lists.
    ///   - hostNames: Reads the name of a domain; by default, in ASCII only. `HostName.init(international:)` of the product
    ///     `Countersign` also converts the names of other scripts.
    ///   - logLists: Reads a log list from a path, which is passed as written in the file; `nil` rejects files that
    ///     contain such a path.
    ///   - anchors: Reads certificates from a path, which is passed as written in the file.
    /// - Throws: ``PolicyFileError`` for the first defect, with the others; an error of a closure is its reason.
    public init(
        _ bytes: some Collection<UInt8>, name: String, at time: Date,
        hostNames: (String) throws(HostNameError) -> HostName = { text throws(HostNameError) in try HostName(text) },
        logLists: ((String) throws -> TransparencyLogList)? = nil,
        anchors: @escaping (String) throws -> [CertificateSummary]
    ) throws(PolicyFileError) {
        try self.init(
            bytes, name: name, at: time, hostNames: hostNames, logLists: logLists,
            anchorContents: { (try anchors($0), []) })
    }

    /// Reads a policy file of version 1, and warns of the parts of anchor files that were not read.
    ///
    /// - Parameters:
    ///   - bytes: The file: YAML 1.2 in UTF-8, one document of at most 1 MiB.
    ///   - name: The file name for errors and warnings.
    ///   - time: The instant for warnings about outdated pins, anchors and log lists.
    ///   - hostNames: Reads the name of a domain; by default, in ASCII only. `HostName.init(international:)` of the product
    ///     `Countersign` also converts the names of other scripts.
    ///   - logLists: Reads a log list from a path, which is passed as written in the file; `nil` rejects files that
    ///     contain such a path.
    ///   - anchorContents: Reads certificates, and the parts of the file that were not read, from a path, which is
    ///     passed as written in the file.
    /// - Throws: ``PolicyFileError`` for the first defect, with the others; an error of a closure is its reason.
    public init(
        _ bytes: some Collection<UInt8>, name: String, at time: Date,
        hostNames: (String) throws(HostNameError) -> HostName = { text throws(HostNameError) in try HostName(text) },
        logLists: ((String) throws -> TransparencyLogList)? = nil,
        anchorContents: @escaping (String) throws -> (certificates: [CertificateSummary], unread: [UnreadCertificate])
    ) throws(PolicyFileError) {
        let root = try PolicyDocument.root(of: Array(bytes), file: name)
        var reader = PolicyReader(time: time, anchorFile: anchorContents, logList: logLists)
        policies = try root.problems.check { () throws(PolicyFileError) in
            try reader.policies(root, hostNames: hostNames)
        }
        warnings = reader.warnings.sorted { ($0.place.line, $0.place.column) < ($1.place.line, $1.place.column) }
    }
}

/// Parses the bytes of a policy file into a tree of nodes, with limits.
enum PolicyDocument {
    /// The maximum size of a file, in bytes.
    static let limit = 1 << 20

    static func root(of bytes: [UInt8], file: String) throws(PolicyFileError) -> PolicyNode {
        guard bytes.count <= limit else { throw DocumentLocation(file: file).error(.tooLarge(limit: limit)) }
        let valid = validPrefix(of: bytes)
        guard valid.count == bytes.count else { throw DocumentLocation(file: file, after: valid).error(.notUTF8) }
        let root = try bytes.withUnsafeBufferPointer { bytes throws(PolicyFileError) in
            var parser = try YAMLParser(bytes, file: file)
            return try parser.document()
        }
        let empty = YAMLNode(content: .mapping([]), line: 1, column: 1)
        return PolicyNode(
            node: content(root) ?? empty, file: file, key: PolicyFileKey(steps: []),
            problems: PolicyProblems())
    }

    /// Returns `nil` for a document without content, such as a single `---`, for which the parser returns an empty
    /// scalar at the end.
    private static func content(_ root: YAMLNode?) -> YAMLNode? {
        if case .scalar("", isPlain: true)? = root?.content { nil } else { root }
    }

    private static func validPrefix(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var count = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { count += UTF8.width(scalar) }
        return bytes[..<count]
    }
}
