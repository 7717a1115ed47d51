// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// A handler that answers the challenges of origins from a `.netrc` file, each with its own entry.
///
/// An entry names a machine and no port, so three rules determine which servers of that machine receive its password:
///
/// - A server receives it over TLS only, which proves the machine's name with a certificate.
///   Plain http needs `allowsPlainHTTP`.
/// - A server receives it at the standard port only (443, or 80 without TLS), unless ``Ports`` includes others: another
///   port may belong to another user of the machine.
/// - The same rules apply to each server after a redirect. `default` applies to one specified host.
public struct NetrcHandler: ChallengeHandler {
    /// The ports for which an entry is used.
    @nonexhaustive
    public enum Ports: Hashable, Sendable {
        /// Port 443 with TLS, and port 80 without.
        case standard
        /// The standard ports and the ports in the set, 1 to 65,535, on every machine in the file.
        case standardAnd(Set<Int>)
        /// All ports, as in curl 8: every server on a machine that requests the machine's password receives it.
        case every
    }

    private let file: NetrcFile
    private let login: String?
    private let defaultHost: HostName?
    private let ports: Ports
    private let allowsPlainHTTP: Bool

    /// Creates a handler for the hosts in a file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - login: The login that an entry must have; `nil` for the one in the URL, or for any if the URL contains none.
    ///   - defaultHost: The host to which `default` applies if it has no entry; `nil` for none.
    ///   - ports: The ports for which an entry is used.
    ///   - allowsPlainHTTP: Whether origins without TLS are also answered, which makes the password readable on the
    ///     network path, and sends it to any server that impersonates the machine.
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

    /// Answers with the host's password, unless the rules of ``NetrcHandler`` forbid it,
    /// or the server has rejected the password.
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
    /// Returns a handler that answers the challenges of origins from a `.netrc` file, each with its own entry, by
    /// default at the standard ports and over TLS.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - login: The login that an entry must have; `nil` for the one in the URL, or for any if the URL contains none.
    ///   - defaultHost: The host to which `default` applies if it has no entry; `nil` for none.
    ///   - ports: The ports for which an entry is used.
    ///   - allowsPlainHTTP: Whether origins without TLS are also answered, which makes the password readable on the
    ///     network path, and sends it to any server that impersonates the machine.
    /// - Returns: The handler.
    public static func netrc(
        _ file: NetrcFile, login: String? = nil, defaultHost: HostName? = nil, ports: NetrcHandler.Ports = .standard,
        allowsPlainHTTP: Bool = false
    ) -> Self {
        NetrcHandler(file, login: login, defaultHost: defaultHost, ports: ports, allowsPlainHTTP: allowsPlainHTTP)
    }
}
