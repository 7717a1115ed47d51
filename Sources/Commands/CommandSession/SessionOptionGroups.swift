// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import CommandSupport
package import Countersign

/// The options of a session, under their titles, for commands that send requests of their own making.
package struct SessionOptionGroups: ParsableArguments, SessionOptions {
    @OptionGroup(title: "Credentials")
    package var credentials: CredentialOptions

    @OptionGroup(title: "Trust")
    package var trust: TrustOptions

    @OptionGroup(title: "Way there")
    package var route: RouteOptions

    @OptionGroup(title: "Protocols")
    package var protocols: ProtocolOptions

    @OptionGroup(title: "Timeouts")
    package var timeouts: TimeoutOptions

    @Flag(name: .shortAndLong, help: "Print the warnings of a policy file, and the messages of a call.")
    package var verbose = false

    package init() {}

    /// Runs work in a session that these options ask for, and closes the session.
    ///
    /// - Parameters:
    ///   - urls: What the command line names; passwords and identities are for these origins.
    ///   - readers: The other options that read standard input, as they are written.
    ///   - console: Where a person is asked and warned.
    ///   - work: What is done.
    /// - Returns: What the work returns.
    /// - Throws: ``UsageError``, `FileError`, what the work throws, and `SessionError` where the time is over.
    package func withSession<Value: Sendable>(
        for urls: [String], besides readers: [String] = [], on console: Console,
        _ work: @escaping @Sendable (Session) async throws -> Value
    ) async throws -> Value {
        try refuseContradictionsOfSession(console.environment)
        let readers = readersOfStandardInput + readers
        if readers.count > 1 { throw UsageError.contradiction(readers[0], readers[1]) }
        let limit = TimeLimit(timeouts.maxTime)
        do {
            return try await limit.run {
                let keychain = trust.keychain.makeClient()
                let people = try await personalHandlers(for: urls, keychain, on: console)
                let endpoints = try urls.map { try Endpoint(of: $0) }
                let session = Session(try await configuration(for: endpoints, people, keychain, on: console))
                do {
                    let value = try await work(session)
                    await session.close()
                    return value
                } catch {
                    await session.close()
                    throw people.reduce(error) { $1.explaining($0) }
                }
            }
        } catch {
            throw urls.first.map { limit.reason(for: error, of: $0) } ?? error
        }
    }
}
