// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes

extension HTTPResponse.Status {
    /// The code and the reason phrase, or the code alone where the server sent no phrase (RFC 9112 section 4).
    ///
    /// The type's own description ends in a blank then.
    package var text: String { reasonPhrase.isEmpty ? String(code) : "\(code) \(reasonPhrase)" }
}
