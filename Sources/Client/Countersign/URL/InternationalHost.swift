// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import EssentialFoundation
import POSIX

extension HostName {
    /// Reads a host as ``init(_:)`` does, or a name of another script, which is converted to its ASCII form (UTS 46,
    /// nontransitional, as in browsers).
    ///
    /// - Throws: ``HostNameError``, with `notASCII` if this system has no library that converts names.
    package init(international text: String) throws(HostNameError) {
        try self.init(text.utf8.allSatisfy { $0 < 0x80 } ? text : InternationalHost.ascii(text))
    }
}

/// The conversion of host names to ASCII, by the system's tables.
private enum InternationalHost {
    #if canImport(Darwin)
        static func ascii(_ name: String) throws(HostNameError) -> String {
            var components = URLComponents()
            components.host = name
            guard let host = components.encodedHost else { throw .malformed(name) }
            return host
        }
    #else
        private typealias Lookup =
            @convention(c) @Sendable (
                UnsafePointer<UInt8>?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, Int32
            ) -> Int32

        /// `idn2_lookup_u8` of libidn2, which is loaded when a name first needs it and is never unloaded; `nil` without
        /// the library.
        private static let lookup: Lookup? = {
            guard let library = dlopen("libidn2.so.0", RTLD_NOW | RTLD_LOCAL),
                let function = dlsym(library, "idn2_lookup_u8")
            else { return nil }
            return unsafeBitCast(function, to: Lookup.self)
        }()

        /// `IDN2_NONTRANSITIONAL`, which includes the mapping of UTS 46.
        private static let nontransitional: Int32 = 8

        static func ascii(_ name: String) throws(HostNameError) -> String {
            guard let lookup else { throw .notASCII(name) }
            var result: UnsafeMutablePointer<UInt8>?
            defer { free(result) }
            // C would read the name only up to a NUL.
            guard !name.utf8.contains(0), lookup(name, &result, nontransitional) == 0, let host = result else {
                throw .malformed(name)
            }
            return String(cString: host)
        }
    #endif
}
