// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import EssentialFoundation
import Identities
import Secrets
import Testing
import X509

/// A corpus of files from eight writers and of crafted files, each with the expected result; not in this repository.
struct PKCS12Corpus {
    struct File: Decodable {
        struct Expected: Decodable {
            let result: String
            let reason: String?
            let subject: String?
            let key_type: String?
            let cert_count: Int?
            let key_count: Int?
            let friendly_name: String?
            let ignored_bags: Int?
            let identities: Int?
            let integrity: String?
            let trusted: Bool?
            let tier: String
        }

        let file: String
        let password: String?
        let expected: Expected

        var passphrase: Secret? { password.map { Secret($0) } }
    }

    let folder: String
    let files: [File]

    /// Finds the corpus at the path in `PKCS12` or next to the package, or prints a reason and returns `nil`.
    static func find() throws -> PKCS12Corpus? {
        let folders = [ProcessInfo.processInfo.environment["PKCS12"], "../shared/testdata/pkcs12"].compactMap(\.self)
        for folder in folders where FileManager.default.fileExists(atPath: folder + "/manifest.json") {
            let manifest = try Data(contentsOf: URL(filePath: folder + "/manifest.json"))
            return PKCS12Corpus(folder: folder, files: try JSONDecoder().decode([File].self, from: manifest))
        }
        print("PKCS#12 corpus skipped: no manifest.json in \(folders)")
        return nil
    }

    func bytes(of file: File) -> [UInt8] {
        Array((try? Data(contentsOf: URL(filePath: folder + "/" + file.file))) ?? Data())
    }

    /// Reads a file with its password, and prints a message if that takes more than a second.
    func read(_ file: File) -> Result<PKCS12, IdentityError> {
        let bytes = bytes(of: file)
        let clock = ContinuousClock()
        let start = clock.now
        defer {
            let time = clock.now - start
            if time > .seconds(1) { print("PKCS#12 corpus: \(file.file) took \(time)") }
        }
        return Result { () throws(IdentityError) in try PKCS12(bytes, passphrase: file.passphrase) }
    }
}

extension PKCS12Corpus.File.Expected {
    /// Returns the differences between a result and the manifest, or the error.
    func differences(from result: Result<PKCS12, IdentityError>) -> [String] {
        switch result {
        case .success(let contents): differences(from: contents)
        case .failure(.unsupported(let name)): ["unsupported \(name)"]
        case .failure(let error): ["\(error)"]
        }
    }

    /// Returns the differences between the contents and the manifest.
    func differences(from contents: PKCS12) -> [String] {
        var differences: [String] = []
        func check<Value: Equatable>(_ name: String, _ read: Value, _ expected: Value) {
            if read != expected { differences.append("\(name) is \(read), not \(expected)") }
        }
        let keys = contents.identities.map(\.privateKey) + contents.unmatchedKeys
        check("certificates", contents.certificates.count, cert_count ?? 0)
        check("keys", keys.count, key_count ?? 0)
        check(
            "key types", keys.map { $0.publicKey.keyType }.sorted(),
            (key_type ?? "").split(separator: ",").map(String.init).sorted())
        check("integrity", contents.isAuthenticated, integrity != "none")
        if trusted == true { check("trusted", contents.trustedCertificates.count, cert_count ?? 0) }
        check("identities", contents.identities.count, identities ?? key_count ?? 0)
        if let ignored_bags { check("ignored bags", contents.ignoredBagCount, ignored_bags) }
        let leaf = contents.identities.first?.certificate ?? contents.certificates.first
        if let subject, let leaf {
            check("subject", Set(leaf.subject.map(\.description)), Set(subject.split(separator: ",").map(String.init)))
        }
        if let friendly_name { check("friendly name", leaf.flatMap(contents.friendlyName), friendly_name) }
        return differences
    }

    /// Returns whether an error is of the kind that the manifest's reason requires.
    func isSatisfied(by error: IdentityError) -> Bool {
        switch (reason ?? "", error) {
        case (let reason, .unsupported): reason.hasPrefix("unsupported")
        case (let reason, .wrongPassphrase): reason == "wrong-password-or-corrupt"
        case (let reason, .tooLarge): reason.hasSuffix("-limit")
        case (let reason, .malformed):
            !reason.hasPrefix("unsupported") && !reason.hasSuffix("-limit") && reason != "wrong-password-or-corrupt"
        default: false
        }
    }
}

extension Certificate.PublicKey {
    fileprivate var keyType: String {
        if P256.Signing.PublicKey(self) != nil { return "EC-P256" }
        if P384.Signing.PublicKey(self) != nil { return "EC-P384" }
        if P521.Signing.PublicKey(self) != nil { return "EC-P521" }
        if Curve25519.Signing.PublicKey(self) != nil { return "Ed25519" }
        return description.replacing("RSA", with: "RSA-").replacing(".PublicKey", with: "")
    }
}
