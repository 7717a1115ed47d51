// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1

/// A typed content (RFC 5652 section 3).
struct ContentInfo {
    let type: ASN1ObjectIdentifier
    let content: ASN1Node

    init(_ node: ASN1Node, of part: IdentityError.Part) throws(IdentityError) {
        var fields = try Fields(node, of: part)
        type = try fields.objectIdentifier()
        content = try fields.explicit(0)
        try fields.end()
    }
}
