// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import Countersign
import HTTPTypes

extension Response {
    /// The status line and the fields, a line each, as `head`, `-i` and `-D` show them.
    var headText: String {
        let version = connection.httpVersion.text
        let fields = headerFields.map { field in
            let value = field.withUnsafeBytesOfValue { ReadText(utf8: Array($0)).text }
            return "\(field.name.rawName): \(value)"
        }
        return (["\(version) \(status.text)"] + fields).map { $0.printable + "\n" }.joined()
    }
}
