// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension HostName {
    /// The domain directly above a name; `nil` for a name of one label, and for an address.
    package var parent: HostName? {
        guard !isAddress, let dot = description.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return HostName(checkedName: String(description[dot...].dropFirst()))
    }
}
