// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    package import CGSSAPI

    /// The library's own state of an exchange, released with the value.
    struct GSSContext: ~Copyable {
        private let name: GSSName
        private let credential: GSSCredential
        private var handle: gss_ctx_id_t?

        init(name: consuming GSSName, credential: consuming GSSCredential) {
            self.name = name
            self.credential = credential
        }

        deinit {
            var minor: OM_uint32 = 0
            var handle = handle
            _ = gss_delete_sec_context(&minor, &handle, nil)
        }

        mutating func step(
            _ token: [UInt8]?, flags: OM_uint32, binding: [UInt8]?
        ) throws(GSSError) -> SecurityContext.Step {
            var minor: OM_uint32 = 0
            var output = gss_buffer_desc()
            var granted: OM_uint32 = 0
            let major = gss_channel_bindings_struct.with(binding) { bindings in
                (token ?? []).withGSSBuffer {
                    gss_init_sec_context(
                        &minor, credential.handle, &handle, name.handle, cgssapi_mechanism_spnego(), flags,
                        OM_uint32(GSS_C_INDEFINITE), bindings, token == nil ? nil : $0, nil, &output, &granted, nil)
                }
            }
            let bytes = output.takeBytes()
            try GSSError.check(major, minor)
            return SecurityContext.Step(
                token: bytes.isEmpty ? nil : bytes, isComplete: major == 0,
                isMutual: granted & OM_uint32(GSS_C_MUTUAL_FLAG) != 0)
        }
    }

    /// A name that the library has read, released with the value.
    package struct GSSName: ~Copyable {
        package let handle: gss_name_t?

        /// The service of the web on a host (RFC 4559 section 4): `HTTP@host`.
        ///
        /// - Parameter host: Whether it is looked up in DNS for its canonical name is for the system's `krb5.conf` to say.
        /// - Throws: ``GSSError`` where it is no name.
        package init(serviceOn host: String) throws(GSSError) {
            try self.init("HTTP@" + host, type: cgssapi_name_of_service())
        }

        /// A principal, such as `mary@EXAMPLE.COM`, or without the realm one of the system's own.
        package init(user: String) throws(GSSError) {
            try self.init(user, type: cgssapi_name_of_user())
        }

        private init(_ text: String, type: gss_OID?) throws(GSSError) {
            var handle: gss_name_t?
            var minor: OM_uint32 = 0
            let major = Array(text.utf8).withGSSBuffer { gss_import_name(&minor, $0, type, &handle) }
            try GSSError.check(major, minor)
            self.handle = handle
        }

        deinit {
            var minor: OM_uint32 = 0
            var handle = handle
            _ = gss_release_name(&minor, &handle)
        }
    }

    extension gss_buffer_desc {
        /// Copies what the library has allocated, and gives it back to it.
        package mutating func takeBytes() -> [UInt8] {
            let bytes = Array(UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : length))
            var minor: OM_uint32 = 0
            _ = gss_release_buffer(&minor, &self)
            return bytes
        }
    }

    extension UnsafeRawBufferPointer {
        /// Lends the bytes to the library, which only reads them.
        package func withGSSBuffer<Result>(_ body: (gss_buffer_t) -> Result) -> Result {
            var buffer = gss_buffer_desc(length: count, value: UnsafeMutableRawPointer(mutating: baseAddress))
            return body(&buffer)
        }
    }

    extension Array<UInt8> {
        /// Lends the bytes to the library, which only reads them.
        package func withGSSBuffer<Result>(_ body: (gss_buffer_t) -> Result) -> Result {
            withUnsafeBytes { $0.withGSSBuffer(body) }
        }
    }

    extension gss_channel_bindings_struct {
        /// Lends bindings without addresses, as RFC 5929 and Windows have them; none where there is no channel.
        package static func with<Result>(
            _ applicationData: [UInt8]?, _ body: (gss_channel_bindings_t?) -> Result
        ) -> Result {
            guard let applicationData else { return body(nil) }
            return applicationData.withGSSBuffer {
                var bindings = gss_channel_bindings_struct()
                bindings.application_data = $0.pointee
                return body(&bindings)
            }
        }
    }

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
