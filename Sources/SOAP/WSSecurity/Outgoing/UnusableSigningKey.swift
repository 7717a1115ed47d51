// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLSignature

/// The key of an identity that cannot sign, which says so when it is to sign.
struct UnusableSigningKey: SigningKey {
    let algorithm: SignatureAlgorithm
    let error: XMLSignatureError

    func signature(of bytes: [UInt8]) async throws -> [UInt8] { throw error }
}
