// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

extension HostName {
    /// Domain-matching (RFC 6265 section 5.1.3): an address has nothing below it.
    func isAtOrBelow(_ domain: HostName) -> Bool {
        if self == domain { return true }
        guard !isAddress, !domain.isAddress else { return false }
        let (name, end) = (description.utf8, domain.description.utf8)
        return name.count > end.count + 1 && name.suffix(end.count).elementsEqual(end)
            && name.dropLast(end.count).last == UInt8(ascii: ".")
    }
}
