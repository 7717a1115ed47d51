// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    package import CGSSAPI

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
#endif
