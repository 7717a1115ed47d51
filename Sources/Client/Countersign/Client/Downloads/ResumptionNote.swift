// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto

/// What a part of a representation is a part of, as it is kept beside it.
struct ResumptionNote: Hashable {
    /// Of the URL, which itself could hold a secret.
    let digest: String
    let validator: StrongValidator
    /// In bytes; `nil` where the server did not say.
    let total: Int?

    private static let title = "countersign-download 1"

    init(url: String, validator: StrongValidator, total: Int?) {
        digest = Self.digest(of: url)
        (self.validator, self.total) = (validator, total)
    }

    /// - Returns: `nil` where it is no such note, or not of the URL.
    init?(_ text: String, for url: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 5, lines[0] == Self.title, lines[1] == Self.digest(of: url), lines[4].isEmpty else {
            return nil
        }
        let validator = lines[2].split(separator: " ", maxSplits: 1).map(String.init)
        switch validator.first {
        case "etag" where validator.count == 2: self.validator = .entityTag(validator[1])
        case "last-modified" where validator.count == 2: self.validator = .lastModified(validator[1])
        default: return nil
        }
        total = Int(lines[3])
        guard total.map({ $0 >= 0 }) ?? (lines[3] == "*") else { return nil }
        digest = String(lines[1])
    }

    /// Five lines, the last one empty.
    var text: String {
        let validator =
            switch validator {
            case .entityTag(let tag): "etag \(tag)"
            case .lastModified(let date): "last-modified \(date)"
            }
        return "\(Self.title)\n\(digest)\n\(validator)\n\(total.map(String.init) ?? "*")\n"
    }

    private static func digest(of url: String) -> String {
        SHA256.hash(data: Array(url.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0\(digits)" : digits
        }.joined()
    }
}
