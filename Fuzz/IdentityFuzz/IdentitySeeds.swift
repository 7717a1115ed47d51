// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import Identities
import Secrets
import TrustRecipes
import X509

/// An identity in each file format, with few iterations.
enum IdentitySeeds {
    static func all() throws -> [[UInt8]] {
        let root = try TestAuthority(root: .authority("root"))
        let leaf = try root.issue(Recipe())
        let identity = try Identity(
            chain: [leaf.certificate, root.certificate], privateKey: Certificate.PrivateKey(leaf.key))
        let passphrase = Secret("swordfish")
        let pkcs12 = try PKCS12.encode(
            [.init(identity, friendlyName: "name")], passphrase: passphrase, encryption: .aes256(iterations: 1))
        let encrypted = try identity.pemEncodedPrivateKey(passphrase: passphrase, iterations: 1)
        let pem = try identity.pemEncodedChain
        let pkcs7 = try CertificateFile.pkcs7(identity.chain)
        return [
            [0] + pkcs12, [0] + legacy, [2] + legacy, [1] + pkcs12, [2] + pkcs12, [1] + pem + encrypted,
            [2] + pem + encrypted,
            [1] + pem + (try identity.pemEncodedPrivateKey), [2] + (try identity.derEncodedPrivateKey), [3] + pkcs7,
            [3] + pem, [3] + (try CertificateFile.pkcs7PEM(identity.chain)),
            [3] + (try CertificateFile.der(root.certificate)),
        ]
    }

    /// A file of OpenSSL 1.1 with RC2 and 3DES, whose passphrase is "swordfish".
    private static var legacy: [UInt8] {
        Array(Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
    }

    private static let text = """
        MIIDdwIBAzCCAz4GCSqGSIb3DQEHAaCCAy8EggMrMIIDJzCCAh4GCSqGSIb3DQEHBqCCAg8wggILAgEAMIICBAYJKoZIhvcNAQcB
        MBsGCiqGSIb3DQEMAQYwDQQI/Y3MFY0mV9MCATKAggHY6ZGUgHporL74p6N/YGZyZ/+BU2Eldxi2C4w8fPcCCbfCnAogJNQXiBfY
        sQ0qSwO86j2qIJZTa+N0raP4IZUFYkD9vJdYwkdR0JfZLYJ3cOe1uTLFGZBkVVvzguO/S1Sfj1WdapeaUlVGbG7Y4hJnfd2ergHZ
        tASE//SG1fdcXmT07ac28/bKXFA9R8PY9+hVu1GmtaatOi0LuUDn0ArYnbE7PEcMjJpTY2fNOw9OcRUI61cM9VnyKVJtPU/65bNr
        Jwh05UZNg6XMTRhLHQ71oZ+ES8rdFHGamnkKLzrTG9A+mcwBLOyYpvF1/3EH5KlzKPbwAWYZLdmpQQseD4HYI96sWGPYjd1qt07b
        E3yR57d8UaGzgxcvM2sb70OwU1gSlqFXcTc3rPW/KZXmP+fkVIdpUr8WOV2fFyvSj4o27s+smAP/2VoaSp10F5xkfUmb1n5qHmJf
        WbAVySMaLqyxBfvaGD72Zny/68IsoyJjFCq/y2Pq3SvLY6bUjg1mb0W01D/wUQRjxpLghp4waydhxSaY4Y6+tOI4uq0WNlKQtpj0
        xjIyMIbJhAjy2p/QjFCAvL4A+Ee8HILIZf3rsVHIzR/vbrCyYFNqwGe0ptkGg+IUFRs0xQp7rTCCAQEGCSqGSIb3DQEHAaCB8wSB
        8DCB7TCB6gYLKoZIhvcNAQwKAQKggbMwgbAwGwYKKoZIhvcNAQwBAzANBAh+Oq1sQEXitAIBMgSBkM19rAbUJsMM9uC9uykrvlCM
        WlqmHmzfG8Nl+3d5M5oojsrKlCbjFSlyEvwyHfI+agMgpuWYWylz4ZjDb3hOn9xsVAejgOAxQ4cvu55dbAqi/aCV8s8Tjl48bwON
        IyxRx9m88wNwh6I6lmFgxHhQ8iwGlS4ooa9vYX+WOsY8cN6yQdK7mURP5HhIuXn44ln0tzElMCMGCSqGSIb3DQEJFTEWBBRMTaHz
        vY+UYZ95Ey0VVG1Gyt+6bTAwMCEwCQYFKw4DAhoFAAQUhYEUEWegIIyyrFzEXyxHzhSFFHkECOyvCmA+zdsaAgEy
        """
}
