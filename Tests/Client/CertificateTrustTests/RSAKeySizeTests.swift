// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import SwiftASN1
import TrustRecipes
import X509

@testable import CertificateTrust

@Suite struct RSAKeySizeTests {
    /// A self-signed certificate with a 1024-bit RSA key, made with OpenSSL.
    private static let small = Data(
        base64Encoded: """
            MIICGjCCAYOgAwIBAgIUYCRF58s0USSalQ7mMBbGI6gSFBIwDQYJKoZIhvcNAQELBQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MB4X\
            DTI2MTEyMzA1NDg1MFoXDTI2MTIyMzA1NDg1MFowFDESMBAGA1UEAwwJbG9jYWxob3N0MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCB\
            iQKBgQCyU9Yd341A4MWBPlQX7TDTsE77ZRkVQAxXKfyuG2/BYdzzsBpwA5qaM0PHqWkOoA+JxecHq7HqZQnysK4B/709/Pcka9+T\
            mbEOTL02PwokZEtqYT21kfESu5y9J2qrhjD1yj0iNX9gv1Dhy8AKiUhvyrMYJaQNBx6ogJbJOjDIGQIDAQABo2kwZzAdBgNVHQ4E\
            FgQU5Havf007xJkee/gpO53jN9zu5towHwYDVR0jBBgwFoAU5Havf007xJkee/gpO53jN9zu5towDwYDVR0TAQH/BAUwAwEB/zAU\
            BgNVHREEDTALgglsb2NhbGhvc3QwDQYJKoZIhvcNAQELBQADgYEAkN3EPnm941QySRx3lWdAVYBslSvKwgASbRaLfcqArPVjBsfL\
            q45mV+fRl4nNrRxRha7GgdOVSiexM3S5dMUsUdBiZKCZSVrZze7SAVwQptPPbgpZ6gqhtXCZ7+1e1FFrHez9ut530Qo0CnWf7bKZ\
            SvxZHFeJrLKfqOwZHeuomvo=
            """)

    @Test("The size of a key that the parser refuses is reported") func smallKey() throws {
        let bytes = Array(try #require(Self.small))
        #expect(throws: (any Error).self) { try Certificate(derEncoded: bytes) }
        #expect(RSAKeySize.bits(inCertificate: bytes) == 1024)
    }

    @Test("Other certificates and other data have no RSA key size") func others() throws {
        #expect(RSAKeySize.bits(inCertificate: try TestChain().leaf.certificate.bytes()) == nil)
        let bytes = Array(try #require(Self.small))
        for length in 0..<bytes.count { _ = RSAKeySize.bits(inCertificate: Array(bytes[..<length])) }
        #expect(RSAKeySize.bits(inCertificate: []) == nil)
    }
}
