// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import FuzzDriver
import Identities
import Secrets
import X509

/// Fuzzes the identity readers; the first byte chooses PKCS#12, PEM, the contents of a file, or PKCS#7.
@main
enum IdentityFuzz {
    private static let passphrase = Secret("swordfish")

    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in try IdentitySeeds.all() }) { bytes, count in
            IdentityFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static func test(_ input: [UInt8]) {
        guard let reader = input.first.map({ $0 & 3 }) else { return }
        let file = Array(input.dropFirst())
        switch reader {
        case 0: checkPKCS12(file)
        case 1: checkIdentity(file)
        case 2: checkContents(file)
        default: checkCertificates(file)
        }
    }

    /// Checks that contents that can be read are equal after they were written and read again.
    private static func checkPKCS12(_ file: [UInt8]) {
        guard let contents = try? PKCS12(file, passphrase: passphrase) else { return }
        for identity in contents.identities.prefix(2) {
            let name = contents.friendlyName(of: identity.certificate)
            guard
                let written = try? PKCS12.encode(
                    [.init(identity, friendlyName: name)], passphrase: passphrase, encryption: .aes256(iterations: 1)),
                let read = try? PKCS12(written, passphrase: passphrase)
            else { fatalError("a value that was read cannot be written and read again") }
            precondition(read.identities == [identity], "another identity")
            precondition(read.friendlyName(of: identity.certificate) == name, "another name")
        }
    }

    /// Checks that the key matches the certificate, and that the PEM form is equal.
    private static func checkIdentity(_ file: [UInt8]) {
        guard let identity = try? Identity.read(file, passphrase: passphrase) else { return }
        precondition(identity.certificate.publicKey == identity.privateKey.publicKey, "the key of another certificate")
        guard let chain = try? identity.pemEncodedChain, let key = try? identity.pemEncodedPrivateKey else {
            fatalError("a value that was read cannot be written")
        }
        precondition((try? Identity.read(chain + key)) == identity, "another identity")
    }

    /// Checks that reading the contents needs no passphrase, and that they are unlocked with one.
    private static func checkContents(_ file: [UInt8]) {
        do throws(IdentityError) {
            let locked = try IdentityContents(of: file)
            precondition(locked.keys.allSatisfy { $0.privateKey == nil }, "a private key is revealed")
            guard let open = try? IdentityContents(of: file, passphrase: passphrase) else { return }
            precondition(!open.isLocked, "still locked")
        } catch .passphraseNeeded {
            fatalError("a passphrase is required")
        } catch {}
    }

    private static func checkCertificates(_ file: [UInt8]) {
        guard let certificates = try? CertificateFile.certificates(in: file) else { return }
        guard let written = try? CertificateFile.pkcs7(certificates) else { fatalError("not written") }
        precondition((try? CertificateFile.certificates(in: written)) == certificates, "other certificates")
    }
}
