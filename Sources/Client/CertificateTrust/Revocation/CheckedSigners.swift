// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization

/// The keys with which the signature of an object was checked, so that a list of many megabytes is not hashed again for every
/// certificate and every path that it is asked about.
///
/// It goes with the object and compares equal to every other: it is no part of what the object says. A key stands in it with all its
/// bytes, and the object never changes, so that no other key and no other bytes can pass for those that were checked.
final class CheckedSigners: Hashable, Sendable {
    // A list is asked about by its issuer's one key, and a second one while the key changes. The keys that did not sign it are
    // counted apart, because certificates that a server chose could otherwise displace the one that did.
    static let limit = 2

    private let keys = Mutex<(good: [[UInt8]], bad: [[UInt8]])>(([], []))

    /// Whether a key made the signature; `nil` where that is not known.
    func isSigned(by publicKeyInfo: ArraySlice<UInt8>) -> Bool? {
        keys.withLock { keys in
            if keys.good.contains(where: publicKeyInfo.elementsEqual) { return true }
            return keys.bad.contains(where: publicKeyInfo.elementsEqual) ? false : nil
        }
    }

    func insert(_ publicKeyInfo: ArraySlice<UInt8>, isSigner: Bool) {
        keys.withLock { keys in
            if isSigner {
                Self.append(Array(publicKeyInfo), to: &keys.good)
            } else {
                Self.append(Array(publicKeyInfo), to: &keys.bad)
            }
        }
    }

    private static func append(_ key: [UInt8], to keys: inout [[UInt8]]) {
        if keys.count >= limit { keys.removeFirst() }
        keys.append(key)
    }

    static func == (one: CheckedSigners, other: CheckedSigners) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
