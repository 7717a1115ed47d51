// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
