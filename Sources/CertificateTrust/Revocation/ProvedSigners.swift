// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization

/// The keys that were found to have made the signature of an object, so that a list of many megabytes is not hashed for every
/// certificate that it is asked about.
///
/// It goes with the object and compares equal to every other: it is no part of what the object says. A key stands in it with all its
/// bytes, and the object never changes, so that no other key and no other bytes can pass for those that were checked.
final class ProvedSigners: Hashable, Sendable {
    /// A list is asked about by its issuer's one key, and a second one while the key changes.
    private static let limit = 2

    private let keys = Mutex<[[UInt8]]>([])

    func contains(_ publicKeyInfo: ArraySlice<UInt8>) -> Bool {
        keys.withLock { $0.contains { $0.elementsEqual(publicKeyInfo) } }
    }

    func insert(_ publicKeyInfo: ArraySlice<UInt8>) {
        keys.withLock { keys in
            if keys.count >= Self.limit { keys.removeFirst() }
            keys.append(Array(publicKeyInfo))
        }
    }

    static func == (one: ProvedSigners, other: ProvedSigners) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
