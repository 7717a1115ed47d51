// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1

/// An AlgorithmIdentifier: an object identifier and what parameters it has.
struct Algorithm {
    let identifier: ASN1ObjectIdentifier
    let parameters: ASN1Node?
    private let part: IdentityError.Part

    init(_ node: ASN1Node, of part: IdentityError.Part) throws(IdentityError) {
        var fields = try Fields(node, of: part)
        identifier = try fields.objectIdentifier()
        parameters = fields.nextIfAny()
        self.part = part
        try fields.end()
    }

    /// The parameters where they are a SEQUENCE, as those of the key derivations and of PBES2 are.
    func parameterFields() throws(IdentityError) -> Fields {
        guard let parameters else { throw .malformed(part) }
        return try Fields(parameters, of: part)
    }

    /// Requires that there are no parameters, or NULL: writers disagree which of the two it should be.
    func requireNoParameters() throws(IdentityError) {
        guard parameters == nil || parameters?.identifier == .null else { throw .malformed(part) }
    }

    /// The error that names this algorithm.
    var unsupported: IdentityError { .unsupported(identifier.name) }
}
