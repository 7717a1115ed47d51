// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A network interface of this computer.
public struct NetworkInterface: Hashable, Sendable {
    /// The index that the system assigned.
    public let index: Int
    /// The name, such as `eth0`.
    public let name: String

    init(index: Int, name: String) { (self.index, self.name) = (index, name) }

    /// - Returns: `nil` if the system has no such interface.
    init?(index: UInt32) {
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(index, &name) != nil else { return nil }
        self.init(
            index: Int(index),
            name: String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}
