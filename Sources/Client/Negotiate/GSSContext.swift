// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    package import CGSSAPI

    /// A GSSAPI security context and the name and credential it needs; `deinit` deletes the context.
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

    /// An imported GSSAPI name; `deinit` releases it.
    package struct GSSName: ~Copyable {
        package let handle: gss_name_t?

        /// Imports the HTTP service of a host (RFC 4559 section 4): `HTTP@host`.
        ///
        /// - Parameter host: The host name. The system's `krb5.conf` determines whether DNS canonicalizes it.
        /// - Throws: ``GSSError`` if the library rejects the name.
        package init(serviceOn host: String) throws(GSSError) {
            try self.init("HTTP@" + host, type: cgssapi_name_of_service())
        }

        /// Imports a principal, such as `mary@EXAMPLE.COM`; without a realm, the system's default realm applies.
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
        /// Copies the bytes that the library allocated, and releases the buffer.
        package mutating func takeBytes() -> [UInt8] {
            let bytes = Array(UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : length))
            var minor: OM_uint32 = 0
            _ = gss_release_buffer(&minor, &self)
            return bytes
        }
    }

    extension UnsafeRawBufferPointer {
        /// Calls the closure with a buffer that points to these bytes; the library only reads them.
        package func withGSSBuffer<Result>(_ body: (gss_buffer_t) -> Result) -> Result {
            var buffer = gss_buffer_desc(length: count, value: UnsafeMutableRawPointer(mutating: baseAddress))
            return body(&buffer)
        }
    }

    extension Array<UInt8> {
        /// Calls the closure with a buffer that points to these bytes; the library only reads them.
        package func withGSSBuffer<Result>(_ body: (gss_buffer_t) -> Result) -> Result {
            withUnsafeBytes { $0.withGSSBuffer(body) }
        }
    }

    extension gss_channel_bindings_struct {
        /// Calls the closure with channel bindings without addresses (RFC 5929, as on Windows), or with `nil` if there
        /// is no data.
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

    /// The failure of a GSSAPI call (RFC 2744 section 3.9).
    package struct GSSError: Error, Hashable {
        /// The routine error of a failure; an open set.
        package struct Routine: Hashable, Sendable {
            /// The value of bits 16 to 23 of the major status (RFC 2744 section 3.9.1).
            package let number: UInt32

            /// The channel bindings of client and server differ.
            package static let badBindings = Self(number: 4)
        }

        private static let textLimit = 1024
        private static let messageLimit = 8

        /// The routine error, which is independent of the mechanism.
        package let routine: Routine
        /// The library's message, without control characters; it may contain names, but no secrets.
        package let text: String

        /// Reads the messages for the status codes of a failed call.
        ///
        /// - Parameters:
        ///   - major: The major status of the call.
        ///   - minor: The mechanism's minor status.
        package init(major: OM_uint32, minor: OM_uint32) {
            routine = Routine(number: (major >> 16) & 0xFF)
            // The mechanism's message is specific; the general one would only add "unspecified failure".
            let words = minor == 0 ? [] : Self.messages(minor, type: GSS_C_MECH_CODE)
            let all = words.isEmpty ? Self.messages(major, type: GSS_C_GSS_CODE) : words
            let scalars = all.joined(separator: "; ").unicodeScalars.lazy
                .map { $0.properties.generalCategory == .control ? " " : $0 }
            let line = String(String.UnicodeScalarView(scalars.prefix(Self.textLimit)))
            text = line.split(separator: " ").joined(separator: " ")
        }

        /// Throws if the major status is an error; its supplementary bits (such as "continue needed") are not errors.
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
