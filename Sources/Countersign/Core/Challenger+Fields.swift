// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes

extension Challenger {
    private var challengeField: HTTPField.Name { role == .proxy ? .proxyAuthenticate : .wwwAuthenticate }

    private var informationField: HTTPField.Name {
        role == .proxy ? .proxyAuthenticationInfo : .authenticationInfo
    }

    /// - Throws: ``AuthenticationError/malformedChallenge(_:_:)`` where nothing that the challenger says makes sense.
    func challenges(in fields: HTTPFields) throws -> [HTTPChallenge] {
        do {
            return try HTTPChallenge.parse(fields[values: challengeField])
        } catch {
            throw SessionError.authentication(.malformedChallenge(peer, error))
        }
    }

    /// The last step of an exchange, which comes with a success; what makes no sense there is none.
    func lastStep(of method: AuthenticationMethod, in fields: HTTPFields) -> HTTPChallenge? {
        let challenges = try? HTTPChallenge.parse(fields[values: challengeField])
        return challenges?.first { $0.method == method }
    }

    func hasInformation(in fields: HTTPFields) -> Bool { !fields[values: informationField].isEmpty }

    /// - Throws: ``AuthenticationError/malformedChallenge(_:_:)``.
    func information(in fields: HTTPFields) throws -> HTTPAuthenticationInfo? {
        do {
            return try HTTPAuthenticationInfo(fields[values: informationField])
        } catch {
            throw SessionError.authentication(.malformedChallenge(peer, error))
        }
    }
}
