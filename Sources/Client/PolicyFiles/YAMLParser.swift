// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CYAML

/// Builds the tree of a document from libyaml's events.
///
/// The parser limits nesting and the number of values that aliases repeat, because expansions of expansions grow
/// exponentially (the "billion laughs" attack).
struct YAMLParser: ~Copyable {
    /// The maximum nesting of sequences and mappings.
    static let nestingLimit = 64
    /// The maximum number of values that all aliases of a document repeat.
    static let expansionLimit = 100_000
    private static let outOfMemory = "there is not enough memory"

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeBufferPointer<UInt8>
    private let file: String
    /// The end of the text; libyaml may report an omitted value at a line after the last one.
    private let end: DocumentLocation
    /// The complete values with an anchor, by the anchor's name.
    private var anchors: [String: YAMLNode] = [:]
    /// The number of values that aliases have repeated so far.
    private var expansion = 0

    /// - Parameters:
    ///   - bytes: The text in UTF-8, which must outlive the parser.
    ///   - file: The file name for errors.
    /// - Throws: ``PolicyFileError`` if there is not enough memory for a parser.
    init(_ bytes: UnsafeBufferPointer<UInt8>, file: String) throws(PolicyFileError) {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw DocumentLocation(file: file).error(.syntax(Self.outOfMemory))
        }
        self.parser = parser
        (self.bytes, self.file, end) = (bytes, file, DocumentLocation(file: file, after: bytes))
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// Reads a stream with at most one document.
    ///
    /// - Returns: The root; `nil` if there is no document.
    mutating func document() throws(PolicyFileError) -> YAMLNode? {
        _ = try next()
        let start = try next()
        guard start.type == YAML_DOCUMENT_START_EVENT else { return nil }
        let root = try node(try next(), depth: 1)
        _ = try next()
        let end = try next()
        guard end.type == YAML_STREAM_END_EVENT else {
            throw end.place(in: file).error(.syntax("there is another document"))
        }
        return root
    }

    private mutating func node(_ event: Event, depth: Int) throws(PolicyFileError) -> YAMLNode {
        if event.type == YAML_ALIAS_EVENT { return try alias(event, depth: depth) }
        // An alias inside the value of its own anchor would never end.
        if let anchor = event.anchor { anchors[anchor] = nil }
        let content: YAMLNode.Content =
            switch event.type {
            case YAML_SEQUENCE_START_EVENT: .sequence(try sequence(at: event, depth: depth))
            case YAML_MAPPING_START_EVENT: .mapping(try mapping(at: event, depth: depth))
            default: .scalar(event.text, isPlain: event.isPlain)
            }
        let node = YAMLNode(content: content, line: event.line, column: event.column)
        if let anchor = event.anchor { anchors[anchor] = node }
        return node
    }

    /// Returns the value of an alias, whose location stays that of the anchor.
    private mutating func alias(_ event: Event, depth: Int) throws(PolicyFileError) -> YAMLNode {
        let name = event.anchor ?? ""
        guard let node = anchors[name] else { throw event.place(in: file).error(.unknownAlias(name)) }
        expansion += node.size
        guard expansion <= Self.expansionLimit else {
            throw event.place(in: file).error(.expandedTooFar(limit: Self.expansionLimit))
        }
        if node.height > 0 { try check(depth + node.height - 1, at: event) }
        return node
    }

    private mutating func sequence(at start: Event, depth: Int) throws(PolicyFileError) -> [YAMLNode] {
        try check(depth, at: start)
        var elements: [YAMLNode] = []
        var event = try next()
        while event.type != YAML_SEQUENCE_END_EVENT {
            elements.append(try node(event, depth: depth + 1))
            event = try next()
        }
        return elements
    }

    private mutating func mapping(at start: Event, depth: Int) throws(PolicyFileError) -> [(
        key: YAMLNode, value: YAMLNode
    )] {
        try check(depth, at: start)
        var entries: [(key: YAMLNode, value: YAMLNode)] = []
        var event = try next()
        while event.type != YAML_MAPPING_END_EVENT {
            let key = try node(event, depth: depth + 1)
            entries.append((key, try node(try next(), depth: depth + 1)))
            event = try next()
        }
        return entries
    }

    private func check(_ depth: Int, at start: Event) throws(PolicyFileError) {
        guard depth <= Self.nestingLimit else {
            throw start.place(in: file).error(.nestedTooDeeply(limit: Self.nestingLimit))
        }
    }

    private func next() throws(PolicyFileError) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw error() }
        defer { yaml_event_delete(&event) }
        let copy = Event(event, at: place(of: event.start_mark))
        guard copy.isTagged else { return copy }
        throw copy.place(in: file).error(.unsupportedYAML(.tag))
    }

    /// Returns the error that libyaml reported.
    private func error() -> PolicyFileError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? Self.outOfMemory
        let place: DocumentLocation
        switch parser.pointee.error {
        case YAML_SCANNER_ERROR, YAML_PARSER_ERROR: place = self.place(of: parser.pointee.problem_mark)
        case YAML_READER_ERROR:
            place = DocumentLocation(file: file, after: bytes[..<min(parser.pointee.problem_offset, bytes.count)])
        default:
            place = DocumentLocation(file: file)
        }
        return place.error(.syntax(problem))
    }

    private func place(of mark: yaml_mark_t) -> DocumentLocation {
        mark.line >= end.line ? end : DocumentLocation(file: file, line: mark.line + 1, column: mark.column + 1)
    }
}

/// A libyaml event, copied out of libyaml's memory.
private struct Event {
    let type: yaml_event_type_t
    let line: Int
    let column: Int
    /// The text of a scalar.
    let text: String
    /// Whether the event is a scalar without quotation marks.
    let isPlain: Bool
    /// The name of the value's anchor, or of the anchor to which an alias refers.
    let anchor: String?
    let isTagged: Bool

    init(_ event: yaml_event_t, at place: DocumentLocation) {
        (type, line, column) = (event.type, place.line, place.column)
        let (anchor, tag) =
            switch event.type {
            case YAML_SCALAR_EVENT: (event.data.scalar.anchor, event.data.scalar.tag)
            case YAML_SEQUENCE_START_EVENT: (event.data.sequence_start.anchor, event.data.sequence_start.tag)
            case YAML_MAPPING_START_EVENT: (event.data.mapping_start.anchor, event.data.mapping_start.tag)
            case YAML_ALIAS_EVENT: (event.data.alias.anchor, nil)
            default: (nil, nil)
            }
        (self.anchor, isTagged) = (anchor.map { String(cString: $0) }, tag != nil)
        guard type == YAML_SCALAR_EVENT else {
            (text, isPlain) = ("", false)
            return
        }
        let scalar = event.data.scalar
        text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
        isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
    }

    func place(in file: String) -> DocumentLocation { DocumentLocation(file: file, line: line, column: column) }
}

/// A value of a YAML document with its location.
struct YAMLNode {
    enum Content {
        /// A scalar; it is always text, so that the reading of values
        /// such as "no" or "1e3" does not depend on the YAML version.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([(key: YAMLNode, value: YAMLNode)])
    }

    let content: Content
    /// The line number, starting at 1.
    let line: Int
    /// The column number in Unicode scalars, starting at 1.
    let column: Int
    /// The number of values in the tree, with those that aliases repeat.
    let size: Int
    /// The number of nested sequences and mappings; 0 for a scalar.
    let height: Int

    init(content: Content, line: Int, column: Int) {
        (self.content, self.line, self.column) = (content, line, column)
        let parts =
            switch content {
            case .scalar: [YAMLNode]()
            case .sequence(let elements): elements
            case .mapping(let entries): entries.flatMap { [$0.key, $0.value] }
            }
        size = parts.reduce(1) { $0 + $1.size }
        if case .scalar = content { height = 0 } else { height = 1 + (parts.map(\.height).max() ?? 0) }
    }
}
