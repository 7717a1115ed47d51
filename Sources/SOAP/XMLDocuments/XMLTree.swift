// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CXML2

/// A parsed document, which owns its nodes.
package final class XMLTree {
    package let pointer: xmlDocPtr

    /// The root element.
    package let root: XMLElement

    /// Parses a document.
    ///
    /// The parser reads nothing outside the given bytes.
    ///
    /// - Parameters:
    ///   - bytes: The document, in the encoding that it declares.
    ///   - limits: The limits of the document's size and structure, and the features that it may use.
    /// - Throws: ``XMLDocumentError``.
    package init(parsing bytes: [UInt8], limits: XMLLimits) throws(XMLDocumentError) {
        guard bytes.count <= min(limits.maximumByteCount, Int(CInt.max)) else {
            throw .tooLarge(maximumByteCount: limits.maximumByteCount)
        }
        pointer = try XMLParser(limits: limits).parse(bytes)
        guard let element = XMLElement(xmlDocGetRootElement(pointer)) else {
            xmlFreeDoc(pointer)
            throw .malformed(line: 1, problem: "There is no element")
        }
        root = element
    }

    deinit { xmlFreeDoc(pointer) }
}

extension XMLTree {
    /// Returns the element at a path that begins with the root element; the root element for an empty path.
    package func element(at path: [XMLName]) throws(XMLDocumentError) -> XMLElement {
        guard let first = path.first else { return root }
        guard root.name == first else { throw .noElement(path: path) }
        var element = root
        for name in path.dropFirst() {
            guard let child = element.child(name) else {
                throw .noElement(path: path)
            }
            element = child
        }
        return element
    }

    /// The document's bytes, in UTF-8.
    package var bytes: [UInt8] {
        get throws(XMLDocumentError) {
            var text: UnsafeMutablePointer<xmlChar>?
            var count: CInt = 0
            xmlDocDumpMemoryEnc(pointer, &text, &count, "UTF-8")
            guard let text else { throw .outOfMemory }
            defer { xml_free(text) }
            return Array(UnsafeBufferPointer(start: text, count: Int(count)))
        }
    }
}

/// Runs libxml2's parser, and stops it when a document exceeds a limit or uses a forbidden feature.
package struct XMLParser {
    package let limits: XMLLimits

    /// The state that the parser's callbacks share.
    private final class State {
        let limits: XMLLimits
        var refusal: XMLDocumentError?
        /// The number of namespaces that each open element declares, and the sum.
        var declarations: (counts: [Int], sum: Int) = ([], 0)
        /// The first error that libxml2 reports; later ones are often its consequences.
        var problem: XMLDocumentError?

        init(limits: XMLLimits) { self.limits = limits }
    }

    /// The global initialization that libxml2 requires before several threads use it.
    private static let prepare: Void = xmlInitParser()

    /// Parses a document, which the caller must free.
    package func parse(_ bytes: [UInt8]) throws(XMLDocumentError) -> xmlDocPtr {
        _ = Self.prepare
        guard let context = xmlNewParserCtxt() else { throw .outOfMemory }
        defer { xmlFreeParserCtxt(context) }
        let state = State(limits: limits)
        let unmanaged = Unmanaged.passRetained(state)
        defer { unmanaged.release() }
        context.pointee._private = unmanaged.toOpaque()
        Self.installCallbacks(context)
        var options = XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
        // Storing short texts inside their nodes takes less memory and time.
        options |= XML_PARSE_COMPACT.rawValue
        // libxml2's own limits on depth and text length are stricter than ours, but they also limit entity expansion.
        options |= limits.allowsDocumentType ? XML_PARSE_NOENT.rawValue : XML_PARSE_HUGE.rawValue
        let document = bytes.withUnsafeBytes { buffer in
            silencingLibXML {
                xmlCtxtReadMemory(
                    context, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(buffer.count), nil, nil,
                    CInt(bitPattern: options))
            }
        }
        // libxml2 also returns a document if prefixes are undeclared, but its names have no reliable namespaces.
        let hasNamespaces = context.pointee.nsWellFormed != 0 || limits.allowsUndeclaredPrefixes
        guard let document, state.refusal == nil, hasNamespaces else {
            document.map(xmlFreeDoc)
            throw state.refusal ?? state.problem ?? .malformed(line: 1, problem: "it cannot be read")
        }
        return document
    }

    private static func installCallbacks(_ context: xmlParserCtxtPtr) {
        guard let sax = context.pointee.sax else { return }
        sax.pointee.serror = { context, error in
            guard let state = XMLParser.context(context).flatMap(XMLParser.state), let error = error?.pointee,
                error.level.rawValue >= XML_ERR_ERROR.rawValue, state.problem == nil
            else { return }
            let text = error.message.map { String(cString: $0) } ?? ""
            state.problem =
                error.code == XML_ERR_NO_MEMORY.rawValue
                ? .outOfMemory : .malformed(line: Int(error.line), problem: text.trimmedLine)
        }
        sax.pointee.internalSubset = { context, name, publicIdentifier, systemIdentifier in
            guard let context = XMLParser.context(context), let state = XMLParser.state(context) else { return }
            guard state.limits.allowsDocumentType else { return XMLParser.stop(context, .documentType) }
            xmlSAX2InternalSubset(context, name, publicIdentifier, systemIdentifier)
        }
        sax.pointee.externalSubset = { _, _, _, _ in }
        sax.pointee.entityDecl = { context, name, type, publicIdentifier, systemIdentifier, content in
            guard let context = XMLParser.context(context) else { return }
            guard systemIdentifier == nil, publicIdentifier == nil else {
                return XMLParser.stop(context, .externalEntity)
            }
            xmlSAX2EntityDecl(context, name, type, publicIdentifier, systemIdentifier, content)
        }
        installEndCallbacks(sax)
        sax.pointee.startElementNs = {
            context, name, prefix, uri, namespaceCount, namespaces, attributeCount, defaultCount, attributes in
            guard let context = XMLParser.context(context), let state = XMLParser.state(context) else { return }
            // nodeNr does not include the new element yet.
            guard context.pointee.nodeNr < state.limits.depth else {
                return XMLParser.stop(context, .tooDeep(depth: state.limits.depth))
            }
            guard attributeCount + namespaceCount <= state.limits.maximumAttributeCount else {
                return XMLParser.stop(context, .tooManyAttributes(limit: state.limits.maximumAttributeCount))
            }
            // libxml2 searches all declarations for each name with a prefix.
            let declared = state.declarations.sum + Int(namespaceCount)
            guard declared <= state.limits.maximumNamespaceCount else {
                return XMLParser.stop(context, .tooManyNamespaces(limit: state.limits.maximumNamespaceCount))
            }
            state.declarations.counts.append(Int(namespaceCount))
            state.declarations.sum = declared
            xmlSAX2StartElementNs(
                context, name, prefix, uri, namespaceCount, namespaces, attributeCount, defaultCount, attributes)
        }
    }

    private static func installEndCallbacks(_ sax: UnsafeMutablePointer<xmlSAXHandler>) {
        sax.pointee.endElementNs = { context, name, prefix, uri in
            if let state = XMLParser.context(context).flatMap(XMLParser.state) {
                state.declarations.sum -= state.declarations.counts.popLast() ?? 0
            }
            xmlSAX2EndElementNs(context, name, prefix, uri)
        }
    }

    private static func context(_ pointer: UnsafeMutableRawPointer?) -> xmlParserCtxtPtr? {
        pointer?.assumingMemoryBound(to: xmlParserCtxt.self)
    }

    private static func state(_ context: xmlParserCtxtPtr) -> State? {
        context.pointee._private.map { Unmanaged<State>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func stop(_ context: xmlParserCtxtPtr, _ refusal: XMLDocumentError) {
        state(context)?.refusal = refusal
        xmlStopParser(context)
    }
}

extension String {
    /// The first line, without trailing spaces and periods.
    fileprivate var trimmedLine: String {
        let line = prefix { !$0.isNewline }
        return String(line.reversed().drop { $0 == " " || $0 == "." }.reversed().drop { $0 == " " })
    }
}

/// Calls libxml2 and suppresses the messages that it prints to standard error, such as one for each malformed byte.
///
/// Otherwise a sender could fill a server's log with them.
package func silencingLibXML<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    let before = xml_silence()
    defer { xml_restore(before) }
    return try body()
}
