// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

extension AcceptableIssuers {
    private static let certificateAuthorities = 47

    /// Reads the message of TLS 1.2 (RFC 5246 section 7.4.4); `nil` where it is malformed.
    init?(requestOfTLS12 body: ArraySlice<UInt8>) {
        var reader = TLSReader(body)
        guard reader.vector(lengthOctets: 1) != nil, reader.vector(lengthOctets: 2) != nil,
            let authorities = reader.vector(lengthOctets: 2), reader.rest.isEmpty
        else { return nil }
        self.init(authorities)
    }

    /// Reads the message of TLS 1.3 (RFC 8446 section 4.3.2); `nil` where it is malformed.
    init?(requestOfTLS13 body: ArraySlice<UInt8>) {
        var reader = TLSReader(body)
        guard reader.vector(lengthOctets: 1) != nil, let block = reader.vector(lengthOctets: 2), reader.rest.isEmpty,
            let extensions = TLSExtensions(block)
        else { return nil }
        guard let content = extensions[Self.certificateAuthorities] else {
            self.init(names: [])
            return
        }
        // Section 4.2.4; it may not be empty, which is to say any issuer will do.
        reader = TLSReader(content)
        guard let authorities = reader.vector(lengthOctets: 2), reader.rest.isEmpty, !authorities.isEmpty else {
            return nil
        }
        self.init(authorities)
    }

    /// Reads a list of names, each with its length before it.
    private init?(_ authorities: ArraySlice<UInt8>) {
        var (reader, names) = (TLSReader(authorities), [[UInt8]]())
        while !reader.rest.isEmpty {
            guard let name = reader.vector(lengthOctets: 2), !name.isEmpty else { return nil }
            names.append(Array(name))
        }
        self.init(names: names)
    }
}
