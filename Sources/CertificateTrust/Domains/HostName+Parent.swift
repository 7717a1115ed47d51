// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension HostName {
    /// The domain directly above a name; `nil` for a name of one label, and for an address.
    package var parent: HostName? {
        guard case .name(let labels) = kind, labels.count > 1 else { return nil }
        return HostName(labels: Array(labels.dropFirst()))
    }

    /// Labels that were checked as part of a longer name.
    private init(labels: [String]) {
        kind = .name(labels)
        description = labels.joined(separator: ".")
    }
}
