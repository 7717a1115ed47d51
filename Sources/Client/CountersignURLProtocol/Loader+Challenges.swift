// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationNetworking)
    import Countersign
    import Foundation
    import FoundationNetworking

    extension Loader {
        /// The handlers that ask the delegate, for the methods that Foundation knows.
        ///
        /// The session asks its own handlers first.
        nonisolated var handlers: ChallengeHandlers {
            let handler = ClosureHandler { await self.answer($0) }
            return [.basic: handler, .digest: handler, .ntlm: handler, .negotiate: handler]
        }

        /// Answers a challenge with the stored credential of the URL session or by the first delegate that does not perform
        /// the default handling.
        private func answer(_ challenge: Challenge) async -> Disposition {
            let space = URLProtectionSpace(challenge.space)
            let stored = configuration.urlCredentialStorage?.credential(equivalentTo: space)
            let proposed = challenge.failureCount == 0 ? stored : nil
            let question = URLAuthenticationChallenge(
                protectionSpace: space, proposedCredential: proposed, previousFailureCount: challenge.failureCount,
                failureResponse: nil, error: nil, sender: UnusedSender())
            let task = task
            for delegate in parts.delegates {
                let answer: (URLSession.AuthChallengeDisposition, URLCredential?)? = await ask { urlSession, answer in
                    delegate.urlSession(urlSession, task: task, didReceive: question) { answer(($0, $1)) }
                }
                switch answer {
                case (.useCredential, let credential)?: return .credential(credential)
                case (.performDefaultHandling, _)?: continue
                case (.rejectProtectionSpace, _)?: return .rejectProtectionSpace
                case (.cancelAuthenticationChallenge, _)?, nil: return .cancel
                }
            }
            return .credential(proposed)
        }
    }

    extension Disposition {
        /// Returns the use of a credential; without a user and a password, the next method is tried, as URLSession's
        /// default handling does.
        fileprivate static func credential(_ credential: URLCredential?) -> Disposition {
            guard let user = credential?.user, let password = credential?.password else {
                return .rejectProtectionSpace
            }
            let persistence: Credential.Persistence =
                switch credential?.persistence {
                case Optional.none, .some(.none): .none
                case .forSession: .session
                case .permanent, .synchronizable: .permanent
                }
            return .use(.password(user: user, password: Secret(password), persistence: persistence))
        }
    }

    extension URLProtectionSpace {
        /// Makes the space that a delegate sees.
        fileprivate convenience init(_ space: ProtectionSpace) {
            let method: String =
                switch space.method {
                case .basic: NSURLAuthenticationMethodHTTPBasic
                case .digest: NSURLAuthenticationMethodHTTPDigest
                case .ntlm: NSURLAuthenticationMethodNTLM
                case .negotiate: NSURLAuthenticationMethodNegotiate
                default: NSURLAuthenticationMethodDefault
                }
            let host = space.host.description
            switch space.role {
            case .origin:
                self.init(
                    host: host, port: space.port, protocol: space.scheme, realm: space.realm,
                    authenticationMethod: method)
            case .proxy:
                self.init(
                    proxyHost: host, port: space.port,
                    type: space.isEncrypted ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy,
                    realm: space.realm, authenticationMethod: method)
            }
        }
    }

    extension URLCredentialStorage {
        /// Returns the credential that is stored for an equal space; of several, that of the first user by name.
        ///
        /// In swift-corelibs-foundation 6.3, the storage itself compares spaces by identity, so that it finds none.
        fileprivate func credential(equivalentTo space: URLProtectionSpace) -> URLCredential? {
            allCredentials.first { $0.key.isEquivalent(to: space) }?.value.min { $0.key < $1.key }?.value
        }
    }

    extension URLProtectionSpace {
        fileprivate func isEquivalent(to other: URLProtectionSpace) -> Bool {
            host == other.host && port == other.port && realm == other.realm && isProxy() == other.isProxy()
                && `protocol` == other.protocol && proxyType == other.proxyType
                && authenticationMethod == other.authenticationMethod
        }
    }

    /// The sender of a challenge, which delegates of a URL session answer by their completion handler instead.
    private final class UnusedSender: NSObject, URLAuthenticationChallengeSender {
        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
        func cancel(_ challenge: URLAuthenticationChallenge) {}
        func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
        func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
    }
#endif
