// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import EssentialFoundation
import POSIX

extension HostName {
    /// Reads a host as ``init(_:)`` does, or a name of another script, which is converted to its ASCII form (UTS 46,
    /// nontransitional; names with symbols, which IDNA 2008 excludes, as in IDNA 2003).
    ///
    /// - Throws: `HostNameError`, with `notASCII` if this system has no library that converts names.
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
        private typealias Free = @convention(c) @Sendable (UnsafeMutableRawPointer?) -> Void

        /// `idn2_lookup_u8` and `idn2_free` of libidn2, which is loaded when a name first needs it and is never unloaded;
        /// `nil` without the library.
        private static let functions: (lookup: Lookup, free: Free)? = {
            guard let library = dlopen("libidn2.so.0", RTLD_NOW | RTLD_LOCAL),
                let lookup = dlsym(library, "idn2_lookup_u8"), let free = dlsym(library, "idn2_free")
            else { return nil }
            return (unsafeBitCast(lookup, to: Lookup.self), unsafeBitCast(free, to: Free.self))
        }()

        /// `IDN2_NONTRANSITIONAL` and `IDN2_TRANSITIONAL`, which include the mapping of UTS 46.
        private static let processings: [Int32] = [8, 4]

        static func ascii(_ name: String) throws(HostNameError) -> String {
            guard let functions else { throw .notASCII(name) }
            // C would read the name only up to a NUL.
            for processing in processings where !name.utf8.contains(0) {
                var result: UnsafeMutablePointer<UInt8>?
                defer { functions.free(result) }
                if functions.lookup(name, &result, processing) == 0, let host = result { return String(cString: host) }
            }
            throw .malformed(name)
        }
    #endif
}
