// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the articles of the modules CertificateAuthorities and Identities.

import CertificateAuthorities
import Foundation
import Identities
import Secrets

func issue() throws -> [UInt8] {
    let permitted = try PermittedNames(domains: ["home.example"], networks: ["192.168.0.0/16"])
    let root = try CertificateAuthority(name: "Home", permitting: permitted, now: Date())
    let issuing = try root.issueIntermediate(name: "Home Issuing", now: Date())
    let server = try issuing.issue(.server(names: ["www.home.example"]), now: Date())
    let client = try issuing.issue(.client(name: "Mary"), now: Date())
    print(server.chain.count, client.chain.count)
    return try CertificateFile.pem([root.certificate])
}

func read(_ bytes: [UInt8]) throws -> [UInt8] {
    let identity = try Identity.read(bytes, passphrase: Secret("correct horse"))
    print(identity.certificate.subject, identity.chain.count)
    return try PKCS12.encode([PKCS12.Entry(identity)], passphrase: Secret("battery staple"))
}
