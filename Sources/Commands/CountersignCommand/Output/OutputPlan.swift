// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Where the body of one URL goes.
enum BodyTarget: Hashable, Sendable {
    case standardOutput
    /// A file that is replaced where it exists.
    case file(String)
    /// A file that must not exist yet.
    case newFile(String)
    /// A file that the server names, else the URL; it may replace one where the flag is set.
    case serverNamed(fallback: RemoteName?, url: String, replaces: Bool)

    /// The path, where it is known before the response.
    var path: String? {
        switch self {
        case .file(let path), .newFile(let path): path
        case .standardOutput, .serverNamed: nil
        }
    }

    var isFile: Bool { self != .standardOutput }
}

extension OutputOptions {
    /// Decides where each URL's body goes.
    ///
    /// - Parameter urls: In the order of the command line.
    /// - Returns: A target for each.
    /// - Throws: ``RemoteNameError`` before anything is sent.
    func targets(for urls: [String]) throws(RemoteNameError) -> [BodyTarget] {
        guard remoteName else {
            guard !output.isEmpty else { return urls.map { _ in .standardOutput } }
            return output.map { $0 == "-" ? .standardOutput : .file($0) }
        }
        var names: Set<String> = []
        var targets: [BodyTarget] = []
        for url in urls {
            let target = try target(for: url)
            if let path = target.path, !names.insert(path).inserted { throw .shared(path) }
            targets.append(target)
        }
        return targets
    }

    private func target(for url: String) throws(RemoteNameError) -> BodyTarget {
        let name: RemoteName
        do throws(RemoteName.Fault) {
            name = try RemoteName(url: url)
        } catch {
            if remoteHeaderName { return .serverNamed(fallback: nil, url: url, replaces: clobber) }
            throw .url(url, error)
        }
        if remoteHeaderName { return .serverNamed(fallback: name, url: url, replaces: clobber) }
        if clobber { return .file(name.text) }
        guard !OutputFile.exists(name.text) else { throw .exists(name.text) }
        return .newFile(name.text)
    }
}

extension OutputFile {
    /// Whether anything has this name, a link that leads nowhere included.
    static func exists(_ path: String) -> Bool {
        faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }
}
