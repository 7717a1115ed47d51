// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

/// How a fetched file is shown, by the type that the server gave it.
enum ContentKind: Hashable {
    /// Of a type that browsers draw; nothing in it runs there.
    case picture(String)
    case json
    case text
    case pdf
    case other

    /// SVG is drawn as a picture, in which scripts do not run and nothing is loaded.
    private static let pictures: Set<String> = [
        "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml",
    ]
    private static let texts: Set<String> = [
        "application/xml", "application/javascript", "application/xhtml+xml", "application/x-pem-file",
        "application/yaml", "application/toml",
    ]

    init(_ fields: HTTPFields) {
        let type = (fields[.contentType] ?? "").prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        self =
            switch type {
            case _ where Self.pictures.contains(type): .picture(type)
            case "application/pdf": .pdf
            case _ where type == "application/json" || type.hasSuffix("+json"): .json
            case _ where type.hasPrefix("text/") || Self.texts.contains(type) || type.hasSuffix("+xml"): .text
            default: .other
            }
    }
}
