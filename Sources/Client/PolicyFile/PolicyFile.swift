// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import EssentialFoundation

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

/// The bytes of a policy file, made into one tree of nodes within bounds.
enum PolicyDocument {
    /// Largest file, in bytes.
    static let limit = 1 << 20

    static func root(of bytes: [UInt8], file: String) throws(PolicyFileError) -> PolicyNode {
        guard bytes.count <= limit else { throw DocumentPlace(file: file).error(.tooLarge(limit: limit)) }
        let valid = validPrefix(of: bytes)
        guard valid.count == bytes.count else { throw DocumentPlace(file: file, after: valid).error(.notUTF8) }
        let root = try bytes.withUnsafeBufferPointer { bytes throws(PolicyFileError) in
            try YAMLParser(bytes, file: file).document()
        }
        let empty = YAMLNode(content: .mapping([]), line: 1, column: 1)
        return PolicyNode(node: content(root) ?? empty, file: file, key: PolicyFileKey(steps: []))
    }

    /// Takes a document without content, such as `---` and no more, for an empty file; the parser puts it after the end.
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
