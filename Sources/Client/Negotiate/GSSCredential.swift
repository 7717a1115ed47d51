// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    import CGSSAPI
    package import Secrets

    /// A Kerberos credential that initiates contexts; `deinit` releases it.
    ///
    /// Without the restriction to Kerberos, SPNEGO would offer every mechanism of the system, including NTLM.
    package struct GSSCredential: ~Copyable {
        let handle: gss_cred_id_t?

        /// The owner of the tickets.
        package enum Owner: Sendable {
            /// The user who runs the program, with the tickets of the user's credential cache.
            case currentUser
            /// A principal with its password; the tickets are fetched and not shared with other users.
            case principal(String, password: Secret)
        }

        /// Acquires the credential from the cache or from the KDC.
        package init(of owner: Owner) throws(GSSError) {
            switch owner {
            case .currentUser: try self.init(acquire: Self.acquireForCurrentUser)
            case .principal(let user, let password):
                let name = try GSSName(user: user)
                let principal = name.handle
                try self.init { Self.acquire(principal, password, $0, $1, $2) }
            }
        }

        private static func acquireForCurrentUser(
            _ minor: UnsafeMutablePointer<OM_uint32>, _ mechanisms: gss_OID_set,
            _ handle: UnsafeMutablePointer<gss_cred_id_t?>
        ) -> OM_uint32 {
            gss_acquire_cred(
                minor, nil, OM_uint32(GSS_C_INDEFINITE), mechanisms, gss_cred_usage_t(GSS_C_INITIATE), handle, nil, nil)
        }

        private static func acquire(
            _ principal: gss_name_t?, _ password: Secret, _ minor: UnsafeMutablePointer<OM_uint32>,
            _ mechanisms: gss_OID_set, _ handle: UnsafeMutablePointer<gss_cred_id_t?>
        ) -> OM_uint32 {
            password.withUnsafeBytes {
                $0.withGSSBuffer {
                    gss_acquire_cred_with_password(
                        minor, principal, $0, OM_uint32(GSS_C_INDEFINITE), mechanisms,
                        gss_cred_usage_t(GSS_C_INITIATE), handle, nil, nil)
                }
            }
        }

        private typealias Acquisition = (
            UnsafeMutablePointer<OM_uint32>, gss_OID_set, UnsafeMutablePointer<gss_cred_id_t?>
        ) -> OM_uint32

        private init(acquire: Acquisition) throws(GSSError) {
            var handle: gss_cred_id_t?
            var minor: OM_uint32 = 0
            var major = Self.withMechanism(Self.acquired) { acquire(&minor, $0, &handle) }
            if major != 0 { try Self.explain(acquire) }
            try GSSError.check(major, minor)
            #if !canImport(Darwin)
                major = Self.withMechanism(cgssapi_mechanism_kerberos()) { gss_set_neg_mechs(&minor, handle, $0) }
                if major != 0 { Self.release(handle) }
                try GSSError.check(major, minor)
            #endif
            self.handle = handle
        }

        /// Repeats the call for Kerberos alone and throws its error:
        /// SPNEGO reports only that no mechanism is available.
        private static func explain(_ acquire: Acquisition) throws(GSSError) {
            var handle: gss_cred_id_t?
            var minor: OM_uint32 = 0
            let major = withMechanism(cgssapi_mechanism_kerberos()) { acquire(&minor, $0, &handle) }
            release(handle)
            try GSSError.check(major, minor)
        }

        deinit {
            Self.release(handle)
        }

        private static func release(_ handle: gss_cred_id_t?) {
            var minor: OM_uint32 = 0
            var handle = handle
            _ = gss_release_cred(&minor, &handle)
        }

        /// The mechanism to acquire: MIT needs an SPNEGO credential that is then restricted to Kerberos; Heimdal's
        /// SPNEGO offers exactly the mechanisms of the credential.
        private static var acquired: gss_OID? {
            #if canImport(Darwin)
                cgssapi_mechanism_kerberos()
            #else
                cgssapi_mechanism_spnego()
            #endif
        }

        private static func withMechanism(_ mechanism: gss_OID?, _ body: (gss_OID_set) -> OM_uint32) -> OM_uint32 {
            var set = gss_OID_set_desc(count: 1, elements: mechanism)
            return body(&set)
        }
    }
#endif
