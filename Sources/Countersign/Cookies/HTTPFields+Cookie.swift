// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

extension HTTPFields {
    /// Joins all fields `Cookie` to one, as HTTP/1.1 needs it (RFC 6265 section 5.4): servers read only the first line.
    ///
    /// HTTP/2 may split them (RFC 9113 section 8.2.3), and `HTTPFields` does so whenever a cookie is assigned.
    mutating func joinCookies() {
        let lines = self[values: .cookie]
        guard lines.count > 1 else { return }
        let pairs = lines.flatMap { $0.split(separator: ";") }.map(\.trimmed).filter { !$0.isEmpty }
        self[values: .cookie] = [pairs.joined(separator: "; ")]
    }
}
