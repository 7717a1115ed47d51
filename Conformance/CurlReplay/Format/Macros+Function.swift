// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Macros {
    /// What encloses a text and makes another of it; those that may stand inside of others first.
    enum Function: String, CaseIterable {
        case repeating = "repeat"
        case hexadecimal = "hex"
        case base64 = "b64"

        private var start: String { "%\(rawValue)[" }
        private var end: String { self == .repeating ? "]%" : "]\(rawValue)%" }

        func expand(_ line: [UInt8]) -> [UInt8] {
            var (expanded, rest) = ([UInt8](), line[...])
            while let opening = rest.firstIndex(of: start) {
                let inner = rest[(opening + start.utf8.count)...]
                guard let closing = inner.firstIndex(of: end) else { break }
                expanded += rest[..<opening]
                expanded += apply(to: inner[..<closing])
                rest = inner[(closing + end.utf8.count)...]
            }
            return expanded + rest
        }

        private func apply(to text: ArraySlice<UInt8>) -> [UInt8] {
            switch self {
            case .hexadecimal: return PercentCode.decode(text)
            case .base64: return Array(Data(PercentCode.decode(text)).base64EncodedString().utf8)
            case .repeating:
                guard let separator = text.firstIndex(of: " x "),
                    let count = Int(String(decoding: text[..<separator], as: UTF8.self)), count >= 0
                else { return Array(text) }
                let repeated = PercentCode.decode(text[(separator + 3)...])
                return Array(repeatElement(repeated, count: count).joined())
            }
        }
    }
}
