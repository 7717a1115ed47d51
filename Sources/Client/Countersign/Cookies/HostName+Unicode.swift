// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

extension HostName {
    /// The name with its A-labels decoded, as the list of public suffixes writes it (RFC 5890 section 2.3.2.1).
    var inUnicode: String {
        guard !isAddress, description.utf8.starts(with: "xn--".utf8) || description.contains(".xn--") else {
            return description
        }
        return description.split(separator: ".").map { label in
            guard label.hasPrefix("xn--") else { return String(label) }
            return Punycode.decode(label.dropFirst(4)) ?? String(label)
        }.joined(separator: ".")
    }
}
