// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    import CGSSAPI
    import Negotiate

    /// An acceptor of the system's GSSAPI for one exchange, with the keytab that `make interop` has created.
    final class GSSAcceptor {
        struct Client: Hashable {
            let name: String
            /// The server's token, which proves its identity to the client.
            let token: [UInt8]
            /// Whether the client sent the expected channel bindings.
            let isBound: Bool
            let isDelegated: Bool
        }

        private let binding: [UInt8]?
        private var context: gss_ctx_id_t?

        /// - Parameter binding: The application data of the server's channel.
        init(binding: [UInt8]? = nil) {
            self.binding = binding
        }

        deinit {
            var minor: OM_uint32 = 0
            _ = gss_delete_sec_context(&minor, &context, nil)
        }

        /// Accepts a client's only token.
        func accept(_ token: [UInt8]) throws -> Client {
            var minor: OM_uint32 = 0
            var name: gss_name_t?
            var output = gss_buffer_desc()
            var flags: OM_uint32 = 0
            let major = gss_channel_bindings_struct.with(binding) { bindings in
                token.withGSSBuffer {
                    gss_accept_sec_context(
                        &minor, &context, nil, $0, bindings, &name, nil, &output, &flags, nil, nil)
                }
            }
            let answer = output.takeBytes()
            try GSSError.check(major, minor)
            defer { _ = gss_release_name(&minor, &name) }
            return Client(
                name: try display(name), token: answer, isBound: flags & OM_uint32(GSS_C_CHANNEL_BOUND_FLAG) != 0,
                isDelegated: flags & OM_uint32(GSS_C_DELEG_FLAG) != 0)
        }

        private func display(_ name: gss_name_t?) throws -> String {
            var minor: OM_uint32 = 0
            var text = gss_buffer_desc()
            try GSSError.check(gss_display_name(&minor, name, &text, nil), minor)
            return String(decoding: text.takeBytes(), as: UTF8.self)
        }
    }
#endif
