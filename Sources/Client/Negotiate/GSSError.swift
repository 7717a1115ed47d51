// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    package import CGSSAPI

    /// A call of the system's GSSAPI that failed (RFC 2744 section 3.9).
    package struct GSSError: Error, Hashable {
        /// The general part of a failure; an open set.
        package struct Routine: Hashable, Sendable {
            /// What stands in bits 16 to 23 of the major status (RFC 2744 section 3.9.1).
            package let number: UInt32

            /// The bindings of the two sides differ.
            package static let badBindings = Self(number: 4)
        }

        private static let textLimit = 1024
        private static let messageLimit = 8

        /// Which failure it is, whatever the mechanism.
        package let routine: Routine
        /// The library's own words, which hold names but no secrets; without control characters.
        package let text: String

        /// - Parameters:
        ///   - major: The status of the call.
        ///   - minor: What the mechanism adds.
        package init(major: OM_uint32, minor: OM_uint32) {
            routine = Routine(number: (major >> 16) & 0xFF)
            // The mechanism knows what happened; the general words add nothing but "unspecified failure" to that.
            let words = minor == 0 ? [] : Self.messages(minor, type: GSS_C_MECH_CODE)
            let all = words.isEmpty ? Self.messages(major, type: GSS_C_GSS_CODE) : words
            let scalars = all.joined(separator: "; ").unicodeScalars.lazy
                .map { $0.properties.generalCategory == .control ? " " : $0 }
            let line = String(String.UnicodeScalarView(scalars.prefix(Self.textLimit)))
            text = line.split(separator: " ").joined(separator: " ")
        }

        /// Throws where a status is an error; other bits say that a call has to be repeated, or tell of a token's order.
        package static func check(_ major: OM_uint32, _ minor: OM_uint32) throws(GSSError) {
            guard major & 0xFFFF_0000 == 0 else { throw GSSError(major: major, minor: minor) }
        }

        private static func messages(_ code: OM_uint32, type: Int32) -> [String] {
            var messages: [String] = []
            var context: OM_uint32 = 0
            repeat {
                var minor: OM_uint32 = 0
                var message = gss_buffer_desc()
                let major = gss_display_status(&minor, code, type, nil, &context, &message)
                let bytes = message.takeBytes()
                guard major == 0 else { break }
                messages.append(String(decoding: bytes, as: UTF8.self))
            } while context != 0 && messages.count < messageLimit
            return messages
        }
    }
#endif
