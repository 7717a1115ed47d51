// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes

extension HTTPRequest.Method {
    /// Whether sending a request several times has the same effect as sending it once (RFC 9110 section 9.2.2).
    package var isIdempotent: Bool {
        [.get, .head, .options, .trace, .put, .delete].contains(self)
    }
}
