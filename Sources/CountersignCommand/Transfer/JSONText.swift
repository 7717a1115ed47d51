// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// JSON that a person wrote, on the command line or in a file.
enum JSONText {
    /// - Returns: The text as it stands, once it is known to be JSON.
    /// - Throws: ``UsageError/noJSON(_:)``, ``FileError``.
    static func read(_ text: String) throws -> [UInt8] {
        let isFile = text.hasPrefix("@")
        let bytes = isFile ? try InputFile.read(String(text.dropFirst())) : Array(text.utf8)
        do {
            _ = try JSONDecoder().decode(AnyValue.self, from: Data(bytes))
        } catch {
            throw UsageError.noJSON(isFile ? String(text.dropFirst()) : "--json-body")
        }
        return bytes
    }

    /// Reads every value, because the decoder checks only what it is asked for.
    private struct AnyValue: Decodable {
        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            if let object = try? decoder.container(keyedBy: Key.self) {
                for key in object.allKeys { _ = try object.decode(AnyValue.self, forKey: key) }
            } else if var array = try? decoder.unkeyedContainer() {
                while !array.isAtEnd { _ = try array.decode(AnyValue.self) }
            } else {
                let value = try decoder.singleValueContainer()
                guard !value.decodeNil(), (try? value.decode(Bool.self)) == nil,
                    (try? value.decode(String.self)) == nil
                else { return }
                _ = try value.decode(Double.self)
            }
        }
    }
}
