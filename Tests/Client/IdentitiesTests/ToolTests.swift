// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing
import X509

@testable import Identities

/// Interoperability with other programs in both directions.
@Suite struct OtherTools {
    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test("OpenSSL reads a written PKCS#12 file", arguments: TestKeys.allCases, Writing.encryptions)
    func opensslReads(key: TestKeys, encryption: PKCS12.Encryption) async throws {
        let identity = try key.identity()
        try write(identity, encryption)
        let arguments = "pkcs12 -in ours.p12 -passin pass:swordfish -nodes -legacy -out out.pem"
        guard try await Tool.openssl.run(arguments.words, in: folder) else { return }
        #expect(try Identity.read(folder["out.pem"]) == identity)
    }

    /// Java copies the identity to another file, so that one run tests both directions.
    @Test("Java reads a written PKCS#12 file and writes it", arguments: TestKeys.allCases, Writing.encryptions)
    func javaReads(key: TestKeys, encryption: PKCS12.Encryption) async throws {
        let identity = try key.identity()
        try write(identity, encryption)
        let arguments = """
            -importkeystore -noprompt -srckeystore ours.p12 -srcstoretype PKCS12 -srcstorepass swordfish             -destkeystore theirs.p12 -deststoretype PKCS12 -deststorepass swordfish
            """
        guard try await Tool.keytool.run(arguments.words, in: folder) else { return }
        let contents = try PKCS12(folder["theirs.p12"], passphrase: Secret("swordfish"))
        #expect(contents.identities == [identity])
        #expect(contents.friendlyName(of: identity.certificate) == "name")
    }

    @Test("GnuTLS reads a written PKCS#12 file", arguments: TestKeys.allCases, Writing.encryptions)
    func gnutlsReads(key: TestKeys, encryption: PKCS12.Encryption) async throws {
        let identity = try key.identity()
        try write(identity, encryption)
        let arguments = "--p12-info --inder --infile ours.p12 --password swordfish --outfile out.pem"
        guard try await Tool.certtool.run(arguments.words, in: folder) else { return }
        let found = try EncodedItem.placedItems(in: folder["out.pem"])
        let certificates = CertificateFile.certificates(found).certificates
        #expect(Set(certificates) == Set(identity.chain))
        #expect(found.contains { $0.item.isPrivateKey })
    }

    @Test("OpenSSL reads a written encrypted key", arguments: TestKeys.allCases)
    func opensslReadsKey(key: TestKeys) async throws {
        let identity = try key.identity()
        let pem = try identity.pemEncodedPrivateKey(passphrase: Secret("swordfish"), iterations: 1000)
        try folder.write(pem, to: "key.pem")
        guard try await Tool.openssl.run("pkey -in key.pem -passin pass:swordfish -out out.pem".words, in: folder)
        else {
            return
        }
        #expect(try Identity(pemCertificates: identity.pemEncodedChain, privateKey: folder["out.pem"]) == identity)
    }

    @Test(
        "PKCS#12 files of OpenSSL are read",
        arguments: [
            "", "-legacy", "-nomac", "-keypbe NONE -certpbe NONE", "-keypbe NONE -certpbe NONE -nomac",
            "-macalg sha224",
            "-macalg sha512", "-macalg sha1 -iter 1 -nomaciter", "-keypbe AES-128-CBC -certpbe AES-192-CBC",
            "-keypbe PBE-SHA1-2DES -certpbe PBE-SHA1-3DES", "-legacy -keypbe PBE-SHA1-RC2-128 -certpbe PBE-SHA1-RC2-40",
            "-legacy -keypbe PBE-SHA1-RC4-128 -certpbe PBE-SHA1-RC4-40",
            "-legacy -keypbe PBE-SHA1-RC4-128 -certpbe PBE-SHA1-RC4-40 -nomac",
            "-legacy -keypbe PBE-MD5-DES -certpbe PBE-SHA1-RC2-64", "-keypbe DES-EDE3-CBC -certpbe DES-EDE3-CBC",
            "-legacy -keypbe RC2-CBC -certpbe RC2-40-CBC", "-legacy -keypbe RC2-64-CBC -certpbe DES-CBC",
        ])
    func opensslWrites(options: String) async throws {
        let identity = try TestKeys.p256.identity()
        try folder.write(try identity.pemEncodedPrivateKey + identity.pemEncodedChain, to: "in.pem")
        let arguments = "pkcs12 -export -in in.pem -name name -passout pass:swordfish -out out.p12 " + options
        guard try await Tool.openssl.run(arguments.words, in: folder) else { return }
        let contents = try PKCS12(folder["out.p12"], passphrase: Secret("swordfish"))
        #expect(contents.identities == [identity])
        #expect(contents.friendlyName(of: identity.certificate) == "name")
    }

    @Test(
        "PKCS#12 files of GnuTLS are read",
        arguments: ["3des", "3des-pkcs12", "aes-128", "aes-192", "aes-256", "rc2-40", "arcfour"])
    func gnutlsWrites(cipher: String) async throws {
        let identity = try TestKeys.p256.identity()
        try folder.write(try identity.pemEncodedPrivateKey, to: "key.pem")
        try folder.write(try identity.pemEncodedChain, to: "chain.pem")
        let arguments = """
            --to-p12 --load-privkey key.pem --load-certificate chain.pem --outder --outfile out.p12 --p12-name name             --password swordfish --pkcs-cipher
            """
        guard try await Tool.certtool.run(arguments.words + [cipher], in: folder) else { return }
        #expect(try PKCS12(folder["out.p12"], passphrase: Secret("swordfish")).identities == [identity])
    }

    @Test(
        "PKCS#12 files of Java are read",
        arguments: [
            "-keyalg RSA -keysize 2048", "-keyalg EC -groupname secp384r1", "-keyalg Ed25519",
            "-keyalg RSA -keysize 2048 -J-Dkeystore.pkcs12.legacy",
            "-keyalg EC -groupname secp256r1 -J-Dkeystore.pkcs12.keyProtectionAlgorithm=PBEWithHmacSHA512AndAES_128",
            "-keyalg EC -groupname secp256r1 -J-Dkeystore.pkcs12.certProtectionAlgorithm=NONE "
                + "-J-Dkeystore.pkcs12.macAlgorithm=NONE",
            "-keyalg EC -groupname secp256r1 -J-Dkeystore.pkcs12.macAlgorithm=HmacPBESHA512",
        ])
    func javaWrites(options: String) async throws {
        let arguments = """
            -genkeypair -alias name -dname CN=java -storetype PKCS12 -storepass swordfish -keystore out.p12
            """
        guard try await Tool.keytool.run(arguments.words + options.words, in: folder) else { return }
        let contents = try PKCS12(folder["out.p12"], passphrase: Secret("swordfish"))
        #expect(contents.identities.map(\.certificate.subject.description) == ["CN=java"])
        #expect(contents.certificates.map(contents.friendlyName) == ["name"])
    }

    @Test(
        "Encrypted keys of GnuTLS are read",
        arguments: ["3des", "3des-pkcs12", "aes-128", "aes-256", "rc2-40", "arcfour"])
    func gnutlsWritesKey(cipher: String) async throws {
        let identity = try TestKeys.p256.identity()
        try folder.write(try identity.pemEncodedPrivateKey, to: "key.pem")
        let arguments = "--to-p8 --load-privkey key.pem --outfile out.pem --password swordfish --pkcs-cipher"
        guard try await Tool.certtool.run(arguments.words + [cipher], in: folder) else { return }
        let key = try Identity(
            pemCertificates: identity.pemEncodedChain, privateKey: folder["out.pem"], passphrase: Secret("swordfish"))
        #expect(key == identity)
    }

    @Test(
        "Keys with OpenSSL's traditional encryption are read",
        arguments: ["des", "des3", "aes128", "aes192", "aes256"], [TestKeys.rsa2048, .p384])
    func opensslWritesTraditionalKey(cipher: String, key: TestKeys) async throws {
        let identity = try key.identity()
        try folder.write(try identity.pemEncodedPrivateKey, to: "key.pem")
        let program = key == .rsa2048 ? "rsa -traditional" : "ec"
        let arguments = """
            \(program) -in key.pem -out out.pem -\(cipher) -passout pass:swordfish -provider legacy -provider default
            """
        guard try await Tool.openssl.run(arguments.words, in: folder) else { return }
        let (chain, file) = (try identity.pemEncodedChain, folder["out.pem"])
        #expect(String(decoding: file, as: UTF8.self).contains("DEK-Info: "))
        let read = try Identity(pemCertificates: chain, privateKey: file, passphrase: Secret("swordfish"))
        #expect(read == identity)
        #expect(throws: IdentityError.wrongPassphrase) {
            try Identity(pemCertificates: chain, privateKey: file, passphrase: Secret("Swordfish"))
        }
    }

    @Test(
        "Other programs read a written PKCS#7 file",
        arguments: [
            (Tool.openssl, "pkcs7 -inform DER -in ours.p7b -print_certs -out out.pem"),
            (.certtool, "--p7-info --inder --infile ours.p7b --outfile out.pem"),
            (.keytool, "-printcert -rfc -file ours.p7b"),
        ])
    func pkcs7(tool: Tool, arguments: String) async throws {
        let chain = try TestKeys.p256.identity().chain
        try folder.write(try CertificateFile.pkcs7(chain), to: "ours.p7b")
        guard try await tool.run(arguments.words, in: folder) else { return }
        let read = try CertificateFile.certificates(in: folder[tool == .keytool ? "output" : "out.pem"])
        #expect(Set(read) == Set(chain))
    }

    private func write(_ identity: Identity, _ encryption: PKCS12.Encryption) throws {
        let file = try PKCS12.encode(
            [.init(identity, friendlyName: "name")], passphrase: Secret("swordfish"), encryption: encryption)
        try folder.write(file, to: "ours.p12")
    }
}

extension String {
    fileprivate var words: [String] { split(separator: " ").map(String.init) }
}
