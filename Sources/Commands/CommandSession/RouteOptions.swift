// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
import CertificateTrust
package import CommandSupport
package import Countersign
import EssentialFoundation
import Secrets

/// The options for proxies and connection targets.
package struct RouteOptions: ParsableArguments {
    @Option(
        name: [.customShort("x", allowingJoined: true), .long],
        help: ArgumentHelp(
            "A proxy to go through: http://host:port, https://host:port or socks5://host:port; host:port is http.",
            discussion: """
                By default, the proxies of the environment: http_proxy, https_proxy and all_proxy, except for the hosts of \
                no_proxy, localhost and loopback addresses. A SOCKS proxy resolves host names.
                """, valueName: "url"))
    package var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Hosts to reach directly, such as \"intranet.example,10.0.0.0/8\"; '*' for all.",
            discussion: "It replaces the environment's no_proxy. A name includes all its subdomains.",
            valueName: "list"))
    package var noProxy: String?

    @Option(
        name: [.customShort("U", allowingJoined: true), .long],
        help: ArgumentHelp(
            "The user for the proxy; on a terminal the password is asked for when the proxy requires one.",
            discussion: "NAME:PASSWORD gives the password too, as in curl, and other users of this machine can see it.",
            valueName: "name"))
    package var proxyUser: LoginOption?

    @OptionGroup
    package var proxyPassword: SecretOptions<ProxyPassword>

    @Option(
        help: ArgumentHelp(
            "The authentication methods to use with the proxy, such as ntlm.",
            discussion: "A proxy that offers only other methods gets no credential. The names are those of --methods.",
            valueName: "list"), transform: MethodList.init)
    package var proxyMethods: MethodList?

    @Option(
        help: ArgumentHelp(
            "Connect to a Unix domain socket instead of the URL's host and port, without a proxy.",
            discussion: "A redirect to another host and port is not affected.",
            valueName: "path"), transform: Self.socketPath)
    package var unixSocket: String?

    @OptionGroup
    package var targets: ConnectTargetOptions

    @OptionGroup
    package var family: AddressFamilyOptions

    package init() {}

    /// - Throws: ``UsageError``; `SessionError` if the environment's proxies cannot be read.
    package func checkUnusedOptions(_ environment: [String: String]) throws {
        try family.checkContradictions()
        if unixSocket != nil, proxy != nil { throw UsageError.contradiction("--unix-socket", "--proxy") }
        if unixSocket != nil, let name = family.name { throw UsageError.contradiction("--unix-socket", name) }
        if noProxy == "*", proxy != nil { throw UsageError.contradiction("--no-proxy '*'", "--proxy") }
        try proxyPassword.checkContradictions()
        try proxyUser?.checkLineBreaks(in: "--proxy-user")
        if proxyUser?.password != nil, proxyPassword.isGiven {
            throw UsageError.contradiction("a password in --proxy-user", proxyPassword.name)
        }
        if proxyUser == nil, proxyPassword.isGiven {
            throw UsageError.useless("a proxy password", without: "--proxy-user")
        }
        guard proxyUser != nil || proxyMethods != nil, proxy == nil else { return }
        guard noProxy != "*", try Proxies.areNamed(in: environment) else {
            throw UsageError.useless(proxyUser != nil ? "--proxy-user" : "--proxy-methods", without: "--proxy")
        }
    }

    /// Applies the options to a session; an option without a host and port applies to the hosts and ports of the URLs.
    package func apply(
        to configuration: inout HTTPSession.Configuration, for urls: [HostEndpoint], environment: [String: String]
    ) throws {
        family.apply(to: &configuration)
        configuration.proxies = try .chosen(by: proxy, except: noProxy, environment: environment)
        if let proxyMethods { configuration.proxies.allow(proxyMethods.allowed) }
        targets.apply(to: &configuration, for: urls)
        if let unixSocket {
            for url in urls { configuration.connectTargets[url] = .unixSocket(URL(filePath: unixSocket)) }
        }
    }

    package func login(_ environment: [String: String]) throws -> OriginHandlers.Login {
        let password = try proxyUser?.password ?? proxyPassword.read(environment)
        guard password?.isOneLine ?? true else { throw UsageError.forbiddenCharacter(proxyPassword.name) }
        return .init(user: proxyUser?.user, password: password)
    }

    private static func socketPath(_ text: String) throws(WrongValue) -> String {
        guard !text.isEmpty else { throw WrongValue("write the path of a socket, such as /run/service.sock") }
        return text
    }
}

/// The options for the targets of connections.
package struct ConnectTargetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Connect to this address for a host and port, such as intranet.example:443:192.0.2.7; repeatable.",
            discussion: "The certificate must still be for the host. An IPv6 address may be in brackets.",
            valueName: "host:port:address"), transform: ConnectToOption.resolving)
    package var resolve: [ConnectToOption] = []

    @Option(
        help: ArgumentHelp(
            "Connect to another host and port, such as intranet.example:443:staging.example:8443; repeatable.",
            discussion: "If the first host and port are left out (::HOST:PORT), those of the URL are used.",
            valueName: "host:port:host:port"), transform: ConnectToOption.connecting)
    package var connectTo: [ConnectToOption] = []

    package init() {}

    /// The names of the given options.
    package var names: [String] {
        (resolve.isEmpty ? [] : ["--resolve"]) + (connectTo.isEmpty ? [] : ["--connect-to"])
    }

    /// Applies the options to a session; an option without a host and port applies to the hosts and ports of the URLs.
    package func apply(to configuration: inout HTTPSession.Configuration, for urls: [HostEndpoint]) {
        for target in resolve + connectTo {
            // As in curl, --resolve also applies to the host and port that --connect-to names.
            let address = resolve.last { $0.place == target.destination }?.destination
            for place in target.place.map({ [$0] }) ?? urls {
                configuration.connectTargets[place] = .endpoint(address ?? target.destination)
            }
        }
    }
}

/// The options for the version of IP.
package struct AddressFamilyOptions: ParsableArguments {
    @Flag(name: [.customShort("4"), .long], help: "Connect over IPv4 only, to servers and proxies.")
    package var ipv4 = false

    @Flag(name: [.customShort("6"), .long], help: "Connect over IPv6 only, to servers and proxies.")
    package var ipv6 = false

    package init() {}

    /// The given option; `nil` if there is none.
    package var name: String? { ipv4 ? "-4" : ipv6 ? "-6" : nil }

    package func checkContradictions() throws(UsageError) {
        if ipv4, ipv6 { throw .contradiction("-4", "-6") }
    }

    package func apply(to configuration: inout HTTPSession.Configuration) {
        if ipv4 { configuration.addressFamily = .ipv4 }
        if ipv6 { configuration.addressFamily = .ipv6 }
    }
}

/// An endpoint, and the endpoint to connect to instead.
package struct ConnectToOption: Hashable, Sendable {
    /// The endpoint to replace; `nil` for that of the URL.
    package let place: HostEndpoint?
    package let destination: HostEndpoint

    /// Reads `HOST:PORT:ADDRESS`.
    package static func resolving(_ text: String) throws -> ConnectToOption {
        let form = "write it as HOST:PORT:ADDRESS, with one address"
        var rest = text[...]
        guard let place = try endpoint(from: &rest), !rest.contains(","), let address = try? HostName(String(rest)),
            address.isAddress
        else { throw WrongValue(form) }
        return ConnectToOption(place: place, destination: HostEndpoint(host: address, port: place.port))
    }

    /// Reads `HOST:PORT:HOST:PORT`, in which the first two parts may be empty.
    package static func connecting(_ text: String) throws -> ConnectToOption {
        let form = "write it as HOST:PORT:HOST:PORT; '::HOST:PORT' stands for the URL's own host and port"
        var rest = text[...]
        let place = rest.hasPrefix("::") ? nil : try endpoint(from: &rest)
        if rest.hasPrefix("::"), place == nil {
            rest = rest.dropFirst(2)
        } else if place == nil {
            throw WrongValue(form)
        }
        rest += ":"
        guard let destination = try endpoint(from: &rest), rest.isEmpty else { throw WrongValue(form) }
        return ConnectToOption(place: place, destination: destination)
    }

    /// Removes `HOST:PORT:` from the front, with an IPv6 address in brackets, or returns `nil` if the text does not
    /// begin with it.
    private static func endpoint(from text: inout Substring) throws(WrongValue) -> HostEndpoint? {
        let isBracketed = text.hasPrefix("[")
        guard let hostEnd = isBracketed ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":"),
            text[hostEnd...].first == ":"
        else { return nil }
        let afterHost = text.index(after: hostEnd)
        guard let portEnd = text[afterHost...].firstIndex(of: ":") else { return nil }
        let (name, port) = (String(text[..<hostEnd]), text[afterHost..<portEnd])
        guard name != "*" else { throw WrongValue("name the host: '*' is not understood") }
        guard let host = try? HostName(international: name) else { throw WrongValue("\"\(name)\" is no host") }
        guard let number = Int(port), (1...65_535).contains(number) else {
            throw WrongValue("\"\(port)\" is no port: write a number from 1 to 65535")
        }
        text = text[text.index(after: portEnd)...]
        return HostEndpoint(host: host, port: number)
    }
}

extension Proxies {
    /// Returns the proxies of a command: the one that an option names, or else those of the environment.
    ///
    /// - Parameters:
    ///   - proxy: The proxy for every URL; if it is given, the environment is not read.
    ///   - exceptions: The hosts to reach directly, instead of those that the environment lists; `*` for all.
    ///   - environment: The environment variables.
    /// - Returns: The proxy for every URL.
    /// - Throws: ``UsageError/proxy(_:)``; `SessionError`.
    package static func chosen(
        by proxy: String?, except exceptions: String?, environment: [String: String]
    ) throws -> Proxies {
        if exceptions == "*" { return .none }
        guard let proxy else { return try named(in: environment, except: exceptions) }
        return try .every(read(proxy), except: exceptions ?? "")
    }

    /// Returns whether an environment names any proxy.
    package static func areNamed(in environment: [String: String]) throws(SessionError) -> Bool {
        try Proxies.environment(environment.filter { !exceptionNames.contains($0.key) }) != Proxies.none
    }

    private static let exceptionNames = ["no_proxy", "NO_PROXY"]

    private static func read(_ proxy: String) throws -> Proxy {
        do throws(SessionError) {
            return try Proxy(proxy)
        } catch {
            switch error {
            case .request(.invalidURL(_, let reason)): throw UsageError.proxy(.url(reason))
            case .request(.unsupportedScheme(let scheme)): throw UsageError.proxy(.unsupportedScheme(scheme))
            default: throw error
            }
        }
    }

    private static func named(
        in environment: [String: String], except exceptions: String?
    ) throws(SessionError) -> Proxies {
        guard let exceptions else { return try .environment(environment) }
        var variables = environment.filter { !exceptionNames.contains($0.key) }
        variables["no_proxy"] = exceptions
        do throws(SessionError) {
            return try .environment(variables)
        } catch {
            // The invalid part is on the command line, not in the environment.
            guard case .proxy(.invalidVariable(_, .exception(let place))) = error else { throw error }
            throw .proxy(.invalidException(place))
        }
    }
}
