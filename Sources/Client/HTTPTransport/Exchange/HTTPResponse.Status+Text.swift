// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes

extension HTTPResponse.Status {
    /// The code and the reason phrase, or the code alone where the server sent no phrase (RFC 9112 section 4).
    ///
    /// The description of `HTTPResponse.Status` ends in a space in the latter case.
    package var text: String { reasonPhrase.isEmpty ? String(code) : "\(code) \(reasonPhrase)" }

    /// Reads a code as all versions of HTTP write it: three digits and nothing else (RFC 9113 section 8.3.2).
    ///
    /// The codes 600 to 999 are invalid, and a client treats them as 5xx (RFC 9110 section 15). Codes below 100 have no class, and are
    /// refused.
    ///
    /// - Returns: 100 to 999; `nil` where the bytes are no such code.
    package static func code(_ digits: some Collection<UInt8>) -> Int? {
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let code = digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
        return code >= 100 ? code : nil
    }

    /// Whether the status is 5xx or an invalid code above, which counts as 5xx (RFC 9110 section 15).
    package var isServerError: Bool { code >= 500 }
}
