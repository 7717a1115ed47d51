// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// Answers the challenges of origins from a `.netrc` file, each with its own entry.
///
/// An entry names a machine and no port, so three rules decide which servers of that machine get its password:
///
/// - A server gets it over TLS only, where the certificate proves the machine's name. Without TLS it needs `allowsPlainHTTP`.
/// - A server gets it at the standard port only (443, without TLS 80), unless ``Ports`` names others: another port may
///   belong to another user of the machine.
/// - The same rules apply to each server that a redirect leads to. `default` answers one named host.
public struct NetrcHandler: ChallengeHandler {
    /// The ports at which an entry answers.
    public enum Ports: Hashable, Sendable {
        /// Port 443 with TLS, and port 80 without.
        case standard
        /// The standard ports and the given ones, 1 to 65,535, on every machine that the file names.
        case standardAnd(Set<Int>)
        /// All ports, as in curl 8: every server on a machine gets the machine's password when it asks for it.
        case every
    }

    private let file: NetrcFile
    private let login: String?
    private let defaultHost: HostName?
    private let ports: Ports
    private let allowsPlainHTTP: Bool

    /// Binds a file to the hosts that it names.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - login: The login that an entry must have; `nil` for the one that the URL names, or for any where the URL names none.
    ///   - defaultHost: The host that `default` applies to where it has no entry; `nil` for none.
    ///   - ports: The ports at which an entry answers.
    ///   - allowsPlainHTTP: Whether origins that are reached without TLS are answered too. Everyone on the way can then read the
    ///     password, and any server that takes the machine's place gets it.
    public init(
        _ file: NetrcFile, login: String? = nil, defaultHost: HostName? = nil, ports: Ports = .standard,
        allowsPlainHTTP: Bool = false
    ) {
        self.file = file
        self.login = login
        self.defaultHost = defaultHost
        self.ports = ports
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// Answers with the host's password, unless the rules of ``NetrcHandler`` forbid it, or the server has rejected the password.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        let space = challenge.space
        guard space.role == .origin, space.isEncrypted || allowsPlainHTTP, ports.include(space),
            let credential = file.credential(
                for: space.host, login: login ?? challenge.proposedUser, usesDefault: space.host == defaultHost),
            !challenge.hasRejected(credential)
        else { return .performDefault }
        return .use(credential)
    }
}

extension NetrcHandler.Ports {
    fileprivate func include(_ space: ProtectionSpace) -> Bool {
        let isStandard = space.port == (space.isEncrypted ? 443 : 80)
        return switch self {
        case .standard: isStandard
        case .standardAnd(let others): isStandard || others.contains(space.port)
        case .every: true
        }
    }
}

extension ChallengeHandler where Self == NetrcHandler {
    /// Answers the challenges of origins from a `.netrc` file, each with its own entry; by default at the standard ports and over TLS.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - login: The login that an entry must have; `nil` for the one that the URL names, or for any where the URL names none.
    ///   - defaultHost: The host that `default` applies to where it has no entry; `nil` for none.
    ///   - ports: The ports at which an entry answers.
    ///   - allowsPlainHTTP: Whether origins that are reached without TLS are answered too. Everyone on the way can then read the
    ///     password, and any server that takes the machine's place gets it.
    /// - Returns: The handler.
    public static func netrc(
        _ file: NetrcFile, login: String? = nil, defaultHost: HostName? = nil, ports: NetrcHandler.Ports = .standard,
        allowsPlainHTTP: Bool = false
    ) -> Self {
        NetrcHandler(file, login: login, defaultHost: defaultHost, ports: ports, allowsPlainHTTP: allowsPlainHTTP)
    }
}
