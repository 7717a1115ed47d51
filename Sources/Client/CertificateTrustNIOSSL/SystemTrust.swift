// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import EssentialFoundation
import POSIX

extension AnchorStore {
    /// The paths of the bundles on Debian and Alpine, Fedora, RHEL 7, openSUSE, and macOS.
    private static let systemLocations = [
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// Reads the operating system's anchors, for a `TrustEvaluator`; each call reads the file again.
    ///
    /// - Parameter environment: The environment variables. `SSL_CERT_FILE` names a bundle, and `SSL_CERT_DIR` folders,
    ///   separated by colons, that replace those of the system, as for OpenSSL; empty values are ignored. Without an
    ///   argument, no variable counts.
    /// - Returns: The anchors of the variables, or of the first bundle that exists.
    /// - Throws: `AnchorStoreError.noSystemBundle` if no known path has a bundle with a readable certificate, and
    ///   `AnchorStoreError.unusableVariable` if a variable names no readable certificate.
    public static func system(environment: [String: String] = [:]) throws(AnchorStoreError) -> AnchorStore {
        if let store = try AnchorVariables(environment)?.read() { return store }
        for location in systemLocations {
            guard let data = try? Data(contentsOf: URL(filePath: location)) else { continue }
            if let store = try? AnchorStore(pemBundle: Array(data)) { return store }
        }
        throw .noSystemBundle(systemLocations)
    }

    /// Returns the system anchors that a policy uses; they are read only if the policy needs them.
    ///
    /// - Throws: The error of `read`; if the policy has other anchors, only that of an environment variable.
    package static func system(
        for policy: TrustPolicy, read: () throws(AnchorStoreError) -> AnchorStore
    ) throws(AnchorStoreError) -> AnchorStore {
        switch policy.anchors {
        case .only: return AnchorStore([])
        case .system: return try read()
        case .systemAnd:
            do {
                return try read()
            } catch .noSystemBundle {
                // If the system has no anchors, those of the caller suffice.
                return AnchorStore([])
            }
        }
    }
}

/// The environment variables that replace the system's anchors, as OpenSSL reads them
/// (`X509_STORE_set_default_paths`).
package struct AnchorVariables: Hashable, Sendable {
    private static let fileName = "SSL_CERT_FILE"
    private static let folderName = "SSL_CERT_DIR"
    /// The maximum number of files of a folder.
    private static let countLimit = 10_000
    /// The maximum size of all files of the variables, in bytes.
    private static let sizeLimit = 64 << 20

    private let file: String?
    private let folders: [String]

    /// Reads the variables; the result is `nil` if neither is set.
    package init?(_ environment: [String: String]) {
        file = environment[Self.fileName].flatMap { $0.isEmpty ? nil : $0 }
        folders = (environment[Self.folderName] ?? "").split(separator: ":").map(String.init)
        if file == nil, folders.isEmpty { return nil }
    }

    /// The variables in the form `NAME=VALUE`, for display.
    package var description: String {
        [
            file.map { "\(Self.fileName)=\($0)" },
            folders.isEmpty ? nil : "\(Self.folderName)=\(folders.joined(separator: ":"))",
        ].compactMap(\.self).joined(separator: " ")
    }

    fileprivate func read() throws(AnchorStoreError) -> AnchorStore {
        var bytes: [UInt8] = []
        if let file {
            bytes = try contents(of: file)
            guard (try? AnchorStore(pemBundle: bytes)) != nil else {
                throw .unusableVariable(Self.fileName, path: file, reason: "it holds no certificate in PEM")
            }
        }
        for folder in folders { bytes += contents(ofFolder: folder, limit: Self.sizeLimit - bytes.count) }
        do {
            return try AnchorStore(pemBundle: bytes)
        } catch {
            throw .unusableVariable(
                Self.folderName, path: folders.joined(separator: ":"),
                reason: "no file there holds a certificate in PEM")
        }
    }

    private func contents(of file: String) throws(AnchorStoreError) -> [UInt8] {
        guard Self.size(ofFile: file) != nil else {
            throw .unusableVariable(Self.fileName, path: file, reason: "it cannot be read, or is not a file")
        }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: file))
        } catch {
            throw .unusableVariable(Self.fileName, path: file, reason: "it cannot be read")
        }
        guard data.count <= Self.sizeLimit else {
            throw .unusableVariable(Self.fileName, path: file, reason: "it is larger than \(Self.sizeLimit) bytes")
        }
        return Array(data)
    }

    /// Returns the names of a folder's files; those with a hash of their subject, if there are any, because OpenSSL reads
    /// no others.
    private static func names(inFolder folder: String) -> [String] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        let hashed = names.filter { $0.wholeMatch(of: /[0-9a-f]{8}\.[0-9]+/) != nil }
        return hashed.isEmpty ? names : hashed
    }

    /// The paths of the files.
    package var paths: [String] {
        ([file].compactMap(\.self)
            + folders.flatMap { folder in
                Self.names(inFolder: folder).map { URL(filePath: folder).appending(path: $0).path }
            })
    }

    /// Returns the contents of the readable files of a folder, each once, although hashed names are links.
    private func contents(ofFolder folder: String, limit: Int) -> [UInt8] {
        let names = Self.names(inFolder: folder)
        var bytes: [UInt8] = []
        var paths: Set<String> = []
        for name in names.prefix(Self.countLimit) {
            let path = URL(filePath: folder).appending(path: name).resolvingSymlinksInPath().path
            guard paths.insert(path).inserted, let size = Self.size(ofFile: path), size <= limit - bytes.count,
                let data = try? Data(contentsOf: URL(filePath: path))
            else { continue }
            bytes += Array(data) + [0x0A]
        }
        return bytes
    }

    /// Returns the size of a regular file; `nil` for a pipe or a folder, which could not be read to its end.
    private static func size(ofFile path: String) -> Int? {
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(information.st_size)
    }
}

/// The operating system's public suffix list, if its package is installed.
package enum SystemPublicSuffixes {
    /// The paths of the list on Debian and Fedora; Homebrew has none.
    private static let locations = [
        "/usr/share/publicsuffix/public_suffix_list.dat", "/usr/share/publicsuffix/effective_tld_names.dat",
    ]

    /// The list, read once per process: it is a system file that does not change while a process runs, and contains no
    /// user data.
    private static let text: [UInt8]? = locations.lazy
        .compactMap { try? Data(contentsOf: URL(filePath: $0)) }.first.map { Array($0) }

    /// The suffixes that registries operate, below which a certificate may not have a wildcard.
    package static let list: PublicSuffixList? = text.map { PublicSuffixList($0) }

    /// The list with the suffixes that companies offer below their domains, for which no customer may set a cookie.
    package static let fullList: PublicSuffixList? = text.map { PublicSuffixList($0, sections: .all) }
}
