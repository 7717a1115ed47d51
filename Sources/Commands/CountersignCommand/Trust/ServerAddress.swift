// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A server as a person names it: `host`, `host:port`, `[address]:port`, an IPv6 address, or a URL of `https`.
struct ServerAddress {
    let url: String

    init(_ text: String) throws(InspectionError) {
        guard let scheme = text.firstRange(of: "://") else {
            let isBareIPv6 = !text.hasPrefix("[") && text.count(where: { $0 == ":" }) > 1
            url = "https://" + (isBareIPv6 ? "[\(text)]" : text) + "/"
            return
        }
        guard text[..<scheme.lowerBound].lowercased() != "http" else { throw .plainHTTP(text) }
        url = text
    }
}
