// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension HostName {
    /// Domains that no public authority issues for: special-use names (RFC 6761, RFC 6762, RFC 8375), `internal`, which ICANN
    /// reserves for private use, and habits of private networks.
    private static let privateSuffixes: Set<String> = [
        "corp", "example", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain", "localhost",
        "onion",
        "private", "test",
    ]

    /// Whether the name can be one of the public DNS: neither an address, nor a single label, nor below a domain for private use.
    var isPublicName: Bool {
        let labels = description.split(separator: ".")
        guard !isAddress, labels.count > 1, let last = labels.last else { return false }
        return !Self.privateSuffixes.contains(String(last)) && labels.suffix(2) != ["home", "arpa"]
    }
}
