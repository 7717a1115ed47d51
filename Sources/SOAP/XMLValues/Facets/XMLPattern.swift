// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CXML2
import Synchronization

/// Regular expressions of XML Schema (Part 2 appendix F), by libxml2, each compiled once a process.
///
/// Matching changes nothing in a compiled expression, so that threads share it; it is never freed.
enum XMLPattern {
    /// The longest text that is compared, because some expressions need time that grows faster than the text.
    static let mostBytes = 64 << 10
    /// How many expressions are kept; generated code has as many as its schema.
    static let mostPatterns = 10_000

    /// The addresses of compiled expressions.
    private static let cache = Mutex<[String: UInt]>([:])

    /// Whether an expression matches all of a text.
    static func matches(_ pattern: String, _ text: String) throws(XMLValueError) -> Bool {
        guard text.utf8.count <= mostBytes else { throw .longPatternText(mostBytes: mostBytes) }
        guard let compiled = compiled(pattern) else { throw .pattern(pattern) }
        let result = text.withCString { bytes in
            bytes.withMemoryRebound(to: xmlChar.self, capacity: text.utf8.count + 1) { xmlRegexpExec(compiled, $0) }
        }
        guard result >= 0 else { throw .pattern(pattern) }
        return result == 1
    }

    private static func compiled(_ pattern: String) -> xmlRegexpPtr? {
        let address: UInt? = cache.withLock { cache in
            if let address = cache[pattern] { return address }
            guard cache.count < mostPatterns, let compiled = xmlRegexpCompile(pattern) else { return nil }
            let address = UInt(bitPattern: compiled)
            cache[pattern] = address
            return address
        }
        return address.flatMap { xmlRegexpPtr(bitPattern: $0) }
    }
}
