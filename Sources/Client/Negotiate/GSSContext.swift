// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    import CGSSAPI

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
#endif
