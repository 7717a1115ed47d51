// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// What came of reading one extension.
struct ExtensionReading<Value: Sendable>: Sendable {
    let identifier: ASN1ObjectIdentifier
    /// `nil` where there is no such extension.
    let isCritical: Bool?
    /// `nil` also where it cannot be read.
    let value: Value?

    var isPresent: Bool { isCritical != nil }

    var isMalformed: Bool { isPresent && value == nil }
}

extension Certificate.Extensions {
    func reading<Value: Sendable>(
        _ identifier: ASN1ObjectIdentifier, _ read: (Certificate.Extension) throws -> Value
    ) -> ExtensionReading<Value> {
        guard let found = self[oid: identifier] else {
            return ExtensionReading(identifier: identifier, isCritical: nil, value: nil)
        }
        return ExtensionReading(identifier: identifier, isCritical: found.critical, value: try? read(found))
    }
}
