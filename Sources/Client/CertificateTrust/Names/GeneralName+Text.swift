// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import SwiftASN1
import X509

extension GeneralName {
    /// The name for a person, in text that is safe to print.
    var text: String {
        switch self {
        case .dnsName(let name), .rfc822Name(let name), .uniformResourceIdentifier(let name):
            name.isEmpty ? "every name" : name.printable
        case .directoryName(let name): name.description.printable
        case .ipAddress(let octets): Self.addressText(Array(octets.bytes))
        case .otherName: "a name of another kind"
        case .x400Address: "an X.400 address"
        case .ediPartyName: "an EDI party name"
        case .registeredID(let identifier): "\(identifier)"
        }
    }

    /// An address, or an address and a mask.
    private static func addressText(_ bytes: [UInt8]) -> String {
        switch bytes.count {
        case 4, 16: IPAddressText.text(of: bytes)
        case 8, 32:
            IPAddressText.text(of: bytes.prefix(bytes.count / 2)) + "/"
                + String(bytes.suffix(bytes.count / 2).reduce(0) { $0 + $1.nonzeroBitCount })
        default: "an address that cannot be read"
        }
    }
}
