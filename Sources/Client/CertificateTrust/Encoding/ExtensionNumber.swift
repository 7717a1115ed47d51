// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Extensions of certificates: the last numbers of those below id-ce, 2.5.29, and the contents of other identifiers.
enum ExtensionNumber {
    static let subjectKeyIdentifier: UInt8 = 14
    static let keyUsage: UInt8 = 15
    static let alternativeNames: UInt8 = 17
    static let basicConstraints: UInt8 = 19
    static let nameConstraints: UInt8 = 30
    static let distributionPoints: UInt8 = 31
    static let certificatePolicies: UInt8 = 32
    static let policyMappings: UInt8 = 33
    static let authorityKeyIdentifier: UInt8 = 35
    static let policyConstraints: UInt8 = 36
    static let extendedKeyUsage: UInt8 = 37
    static let inhibitAnyPolicy: UInt8 = 54

    /// Authority information access, 1.3.6.1.5.5.7.1.1.
    static let authorityInformation: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x01]
    /// The TLS features of RFC 7633, 1.3.6.1.5.5.7.1.24.
    static let features: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x18]
    /// id-pkix-ocsp-nocheck, 1.3.6.1.5.5.7.48.1.5.
    static let noCheck: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x05]
}
