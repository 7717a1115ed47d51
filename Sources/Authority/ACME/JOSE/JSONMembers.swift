// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The names of members in JSON, which must be unique in a header and a key (RFC 7515 section 4, RFC 7517 section 4).
///
/// `JSONDecoder` takes the first member of a name, others take the last one, and both would verify different requests.
enum JSONMembers {
    /// Whether no object in JSON that a decoder has read names a member twice.
    static func areUnique(in bytes: some Sequence<UInt8>) -> Bool {
        let bytes = Array(bytes)
        // A decoder reads UTF-16 and UTF-32 too, which have zero bytes; JOSE is UTF-8.
        guard !bytes.contains(0) else { return false }
        var (objects, index) = ([Set<String>](), 0)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"): objects.append([])
            case UInt8(ascii: "}"): _ = objects.popLast()
            case UInt8(ascii: "\""):
                let end = endOfText(in: bytes, from: index + 1)
                // Only the name of a member has a colon behind it.
                if let depth = objects.indices.last, isFollowedByColon(bytes, end) {
                    guard let name = try? JSONDecoder().decode(String.self, from: Data(bytes[index..<end])),
                        objects[depth].insert(name).inserted
                    else { return false }
                }
                index = end - 1
            default: break
            }
            index += 1
        }
        return true
    }

    /// The index behind the closing quotation mark.
    private static func endOfText(in bytes: [UInt8], from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }

    private static func isFollowedByColon(_ bytes: [UInt8], _ end: Int) -> Bool {
        bytes[end...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ":")
    }
}
