// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// Answers origins from a `.netrc` file, each with its own entry.
///
/// A redirect may lead anywhere: a host without an entry is given nothing, and `default` is for one named host alone.
public struct NetrcHandler: ChallengeHandler {
    private let file: NetrcFile
    private let login: String?
    private let defaultHost: HostName?
    private let allowsPlainHTTP: Bool

    /// Binds a file to the hosts that it names.
    ///
    /// - Parameters:
    ///   - file: What it says.
    ///   - login: The only login to give; `nil` for the one that the URL names, and where it names none for any.
    ///   - defaultHost: The host that `default` may answer where it has no entry; `nil` for none.
    ///   - allowsPlainHTTP: Whether origins that are reached without TLS are answered too, as curl does.
    public init(
        _ file: NetrcFile, login: String? = nil, defaultHost: HostName? = nil, allowsPlainHTTP: Bool = false
    ) {
        self.file = file
        self.login = login
        self.defaultHost = defaultHost
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// Gives the host's password once; a server that rejects it will reject it again.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        let space = challenge.space
        guard space.role == .origin, space.isEncrypted || allowsPlainHTTP,
            let credential = file.credential(
                for: space.host, login: login ?? challenge.proposedUser, usesDefault: space.host == defaultHost),
            !challenge.hasRejected(credential)
        else { return .performDefault }
        return .use(credential)
    }
}

extension ChallengeHandler where Self == NetrcHandler {
    /// Answers origins from a `.netrc` file, each with its own entry; those without TLS only where that is allowed.
    public static func netrc(
        _ file: NetrcFile, login: String? = nil, defaultHost: HostName? = nil, allowsPlainHTTP: Bool = false
    ) -> Self {
        NetrcHandler(file, login: login, defaultHost: defaultHost, allowsPlainHTTP: allowsPlainHTTP)
    }
}
