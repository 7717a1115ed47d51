// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
package import Countersign

extension Proxies {
    /// What a command goes through: the proxy that it was told, and otherwise what the environment says.
    ///
    /// - Parameters:
    ///   - proxy: For every URL; the environment is then not read at all.
    ///   - exceptions: What is reached directly, in the place of what the environment lists; `*` for all.
    ///   - environment: Its variables.
    /// - Returns: The choice for every URL.
    /// - Throws: ``UsageError/proxy(_:)``; `SessionError`.
    package static func chosen(
        by proxy: String?, except exceptions: String?, environment: [String: String]
    ) throws -> Proxies {
        if exceptions == "*" { return .none }
        guard let proxy else { return try named(in: environment, except: exceptions) }
        return try .every(read(proxy), except: exceptions ?? "")
    }

    /// Whether an environment names any proxy, whatever it is for.
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
            // What is wrong with it stands on the command line, not in the environment.
            guard case .proxy(.invalidVariable(_, .exception(let place))) = error else { throw error }
            throw .proxy(.invalidException(place))
        }
    }
}
