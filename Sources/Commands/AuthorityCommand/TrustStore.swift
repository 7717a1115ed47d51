// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Foundation

/// A store of trusted authorities that programs on this machine read.
struct TrustStore {
    /// The name, as in "Add the root to the certificates of Debian".
    let name: String
    /// The commands that add the root.
    let install: [[String]]
    /// The commands that remove the root.
    let uninstall: [[String]]
    /// Whether only the administrator can change the store.
    var needsRoot = false
}

/// Every trust store of this machine and this user.
struct TrustStores {
    /// The certificate's file.
    let file: String
    /// The name of the certificate in the stores, without spaces and unique to the authority.
    let nickname: String
    let environment: [String: String]

    var all: [TrustStore] { [system].compactMap(\.self) + nss + [java].compactMap(\.self) }

    private var home: URL { URL(filePath: environment["HOME"] ?? "/", directoryHint: .isDirectory) }

    // MARK: The system store

    private static let linuxFolders: [(name: String, folder: String, fileExtension: String, update: [String])] = [
        ("Debian and Ubuntu", "/usr/local/share/ca-certificates", "crt", ["update-ca-certificates"]),
        ("Fedora and Red Hat", "/etc/pki/ca-trust/source/anchors", "pem", ["update-ca-trust", "extract"]),
        ("Arch", "/etc/ca-certificates/trust-source/anchors", "crt", ["trust", "extract-compat"]),
        ("SUSE", "/usr/share/pki/trust/anchors", "pem", ["update-ca-certificates"]),
    ]

    private var system: TrustStore? {
        #if os(macOS)
            let keychain = "/Library/Keychains/System.keychain"
            return TrustStore(
                name: "macOS",
                install: [["security", "add-trusted-cert", "-d", "-r", "trustRoot", "-k", keychain, file]],
                uninstall: [["security", "remove-trusted-cert", "-d", file]], needsRoot: true)
        #else
            let found = Self.linuxFolders.first {
                FileManager.default.isFolder($0.folder) && path(of: $0.update[0]) != nil
            }
            return found.map { one in
                let target = "\(one.folder)/\(nickname).\(one.fileExtension)"
                return TrustStore(
                    name: one.name, install: [["install", "-m", "644", file, target], one.update],
                    uninstall: [["rm", "-f", target], one.update], needsRoot: true)
            }
        #endif
    }

    // MARK: Firefox and Chromium

    private var nss: [TrustStore] {
        guard path(of: "certutil") != nil else { return [] }
        return databases.map { folder in
            let database = "sql:\(folder)"
            return TrustStore(
                name: "NSS in \(folder)",
                install: [["certutil", "-A", "-d", database, "-t", "C,,", "-n", nickname, "-i", file]],
                uninstall: [["certutil", "-D", "-d", database, "-n", nickname]])
        }
    }

    /// The folders with an NSS database; every Firefox profile has one.
    private var databases: [String] {
        let profiles = [
            ".mozilla/firefox", "snap/firefox/common/.mozilla/firefox", "Library/Application Support/Firefox/Profiles",
        ]
        let folders =
            [".pki/nssdb", "snap/chromium/current/.pki/nssdb"].map { home.appending(path: $0) }
            + profiles.flatMap { folder in
                (try? FileManager.default.contentsOfDirectory(
                    at: home.appending(path: folder), includingPropertiesForKeys: nil)) ?? []
            }
        return folders.map(\.path).filter { FileManager.default.fileExists(atPath: $0 + "/cert9.db") }.sorted()
    }

    // MARK: Java

    private var java: TrustStore? {
        guard let home = environment["JAVA_HOME"],
            let store = ["/lib/security/cacerts", "/jre/lib/security/cacerts"].map({ home + $0 })
                .first(where: FileManager.default.fileExists)
        else { return nil }
        let keytool = home + "/bin/keytool"
        guard FileManager.default.isExecutableFile(atPath: keytool) else { return nil }
        // The password is the same for every Java installation, and protects nothing.
        let options = ["-keystore", store, "-storepass", "changeit", "-alias", nickname]
        return TrustStore(
            name: "Java in \(home)", install: [[keytool, "-importcert", "-noprompt", "-file", file] + options],
            uninstall: [[keytool, "-delete"] + options],
            needsRoot: !FileManager.default.isWritableFile(atPath: store))
    }

    private func path(of program: String) -> String? {
        // On Debian, update-ca-certificates is in /usr/sbin, which is only in root's PATH.
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
        return ExecutablePath.find(program, in: folders)
    }
}

extension FileManager {
    fileprivate func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
