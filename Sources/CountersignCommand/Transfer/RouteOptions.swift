// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Countersign
import Secrets

/// Which way a request takes.
struct RouteOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A proxy to go through: http://host:port or https://host:port.", valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("The user to name to the proxy.", valueName: "name"))
    var proxyUser: String?

    @Option(help: ArgumentHelp("A file whose first line is the proxy user's password.", valueName: "file"))
    var proxyPasswordFile: String?

    @Option(
        help: ArgumentHelp(
            "Connect to this address for a host and port, such as intranet.example:443:192.0.2.7; repeatable.",
            discussion: "What the certificate must be good for stays the host. An IPv6 address may stand in brackets.",
            valueName: "host:port:address"), transform: DetourOption.resolving)
    var resolve: [DetourOption] = []

    @Option(
        help: ArgumentHelp(
            "Connect to another host and port, such as intranet.example:443:staging.example:8443; repeatable.",
            discussion: "Where host and port are left out, those of the URL are meant.",
            valueName: "host:port:host:port"), transform: DetourOption.connecting)
    var connectTo: [DetourOption] = []

    func refuseFlagsWithoutUse(_ environment: [String: String]) throws(UsageError) {
        if proxy == nil, proxyUser != nil { throw .useless("--proxy-user", without: "--proxy") }
        if proxyUser == nil, proxyPasswordFile != nil { throw .useless("a proxy password", without: "--proxy-user") }
    }

    /// Leads the session the way that was asked for; what the URL names is where an option leaves the place out.
    func apply(to configuration: inout Session.Configuration, for url: Endpoint) throws {
        configuration.proxy = try proxy.map { (url: String) throws in try Proxy(url) }
        for detour in connectTo + resolve {
            configuration.detours[detour.place ?? url] = detour.destination
        }
    }

    func login() throws -> PersonalHandlers.Login {
        .init(user: proxyUser, password: try proxyPasswordFile.map(SecretSource.file))
    }
}
