// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import CommandSupport
package import Countersign
import Secrets

/// Which way a request takes.
package struct RouteOptions: ParsableArguments {
    @Option(
        name: [.customShort("x", allowingJoined: true), .long],
        help: ArgumentHelp(
            "A proxy to go through: http://host:port, https://host:port or socks5://host:port.",
            discussion: """
                Without it, what the environment names: http_proxy, https_proxy and all_proxy, but for the hosts of \
                no_proxy. A proxy of SOCKS resolves the names of hosts.
                """, valueName: "url"))
    package var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Hosts to reach directly, such as \"intranet.example,10.0.0.0/8\"; '*' for all.",
            discussion: "It takes the place of the environment's no_proxy. A name stands for all names below it too.",
            valueName: "list"))
    package var noProxy: String?

    @Option(
        name: [.customShort("U", allowingJoined: true), .long],
        help: ArgumentHelp(
            "The user to name to the proxy; on a terminal the password is asked for when the proxy wants one.",
            discussion: "NAME:PASSWORD gives the password too, as in curl, and other users of this machine can see it.",
            valueName: "name"))
    package var proxyUser: LoginOption?

    @OptionGroup
    package var proxyPassword: SecretOptions<ProxyPassword>

    @Option(
        help: ArgumentHelp(
            "The authentication methods by which the proxy may be answered, such as ntlm.",
            discussion: "A proxy that offers only others is given nothing. The names are those of --methods.",
            valueName: "list"), transform: MethodList.init)
    package var proxyMethods: MethodList?

    @Option(
        help: ArgumentHelp(
            "Connect to a socket of this machine's file system for the URL's host and port, without a proxy.",
            discussion: "What a redirect to another host and port names is connected to as without the option.",
            valueName: "path"), transform: Self.socketPath)
    package var unixSocket: String?

    @Option(
        help: ArgumentHelp(
            "Connect to this address for a host and port, such as intranet.example:443:192.0.2.7; repeatable.",
            discussion: "What the certificate must be good for stays the host. An IPv6 address may stand in brackets.",
            valueName: "host:port:address"), transform: ConnectToOption.resolving)
    package var resolve: [ConnectToOption] = []

    @Option(
        help: ArgumentHelp(
            "Connect to another host and port, such as intranet.example:443:staging.example:8443; repeatable.",
            discussion: "Where the first host and port are left out (::HOST:PORT), those of the URL are meant.",
            valueName: "host:port:host:port"), transform: ConnectToOption.connecting)
    package var connectTo: [ConnectToOption] = []

    package init() {}

    /// Throws ``UsageError``; `SessionError` where the environment's proxies cannot be read.
    package func refuseFlagsWithoutUse(_ environment: [String: String]) throws {
        if unixSocket != nil, proxy != nil { throw UsageError.contradiction("--unix-socket", "--proxy") }
        if noProxy == "*", proxy != nil { throw UsageError.contradiction("--no-proxy '*'", "--proxy") }
        try proxyPassword.refuseContradictions()
        try proxyUser?.refuseLineBreaks(in: "--proxy-user")
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

    /// Leads the session the way that was asked for; what the URL names is where an option leaves the place out.
    package func apply(
        to configuration: inout Session.Configuration, for urls: [Endpoint], environment: [String: String]
    ) throws {
        configuration.proxies = try .chosen(by: proxy, except: noProxy, environment: environment)
        if let proxyMethods { configuration.proxies.allow(proxyMethods.allowed) }
        for target in connectTo + resolve {
            for place in target.place.map({ [$0] }) ?? urls {
                configuration.connectTargets[place] = .endpoint(target.destination)
            }
        }
        if let unixSocket {
            for url in urls { configuration.connectTargets[url] = .unixSocket(path: unixSocket) }
        }
    }

    package func login(_ environment: [String: String]) throws -> PersonalHandlers.Login {
        let password = try proxyUser?.password ?? proxyPassword.read(environment)
        guard password?.isOneLine ?? true else { throw UsageError.forbiddenCharacter(proxyPassword.name) }
        return .init(user: proxyUser?.user, password: password)
    }

    private static func socketPath(_ text: String) throws(WrongValue) -> String {
        guard !text.isEmpty else { throw WrongValue("write the path of a socket, such as /run/service.sock") }
        return text
    }
}
