// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationNetworking)
    import Countersign
    import ErrorExplanations
    import Foundation
    import FoundationNetworking
    import POSIX

    extension URLError {
        /// Makes the error of a task: a code that existing code compares, our explanation, and the original error.
        ///
        /// - Parameters:
        ///   - error: The error of the session; an error of Foundation with a URL code stays as it is.
        ///   - url: The URL of the task, whose user and password are left out.
        init(_ error: any Error, for url: URL?) {
            var userInfo = (error as? URLError)?.userInfo ?? [NSUnderlyingErrorKey: error]
            if let explanation = (error as? any ExplainedError)?.explanation {
                userInfo[NSLocalizedDescriptionKey] = explanation.text
                userInfo[NSLocalizedFailureReasonErrorKey] = explanation.reason
                userInfo[NSLocalizedRecoverySuggestionErrorKey] = explanation.advice
            }
            if var parts = url.flatMap({ URLComponents(url: $0, resolvingAgainstBaseURL: true) }) {
                (parts.user, parts.password) = (nil, nil)
                userInfo[NSURLErrorFailingURLErrorKey] = parts.url
            }
            self.init(Code(of: error), userInfo: userInfo)
        }

        /// Makes the error of a server that sent and read nothing for the timeout of a request.
        init(silentFor timeout: Duration) {
            self.init(
                .timedOut,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "The server was silent for \(timeout.text). The limit is the request's timeoutInterval, or the "
                        + "configuration's timeoutIntervalForRequest. Try again, or raise it."
                ])
        }

        /// The error of a body that must be sent from a stream, for which no delegate provided one.
        static var missingStream: URLError {
            URLError(
                .requestBodyStreamExhausted,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "No delegate provided a stream for the request's body. A stream can be read only once, and after a "
                        + "challenge or a redirect the body is sent a second time. Return a new stream from the delegate's "
                        + "urlSession(_:task:needNewBodyStream:), or send the body from a file or from memory."
                ])
        }
    }

    extension URLError.Code {
        fileprivate init(of error: any Error) {
            switch error {
            case let error as URLError: self = error.code
            case is CancellationError: self = .cancelled
            case let error as SessionError: self.init(error)
            default: self = .unknown
            }
        }

        /// Makes the code that URLSession uses for the cause of an error, or the closest one.
        init(_ error: SessionError) {
            switch error {
            case .request(let error): self.init(error)
            case .connection(let error): self.init(error)
            case .proxy(let error): self.init(error)
            case .tls(.clientCertificateRequired), .tls(.postHandshakeAuthenticationRequired):
                self = .clientCertificateRequired
            case .tls(.clientCertificateRefused), .tls(.renegotiationRequired): self = .clientCertificateRejected
            case .tls: self = .secureConnectionFailed
            case .trust(let error): self.init(error)
            case .authentication(.malformedChallenge): self = .badServerResponse
            case .authentication(.interrupted): self = .networkConnectionLost
            case .authentication: self = .userAuthenticationRequired
            case .response(.malformed): self = .cannotParseResponse
            case .response(.streamReset): self = .networkConnectionLost
            case .response: self = .badServerResponse
            case .redirect(.loop), .redirect(.tooMany): self = .httpTooManyRedirects
            case .redirect(.toPlainHTTP): self = .appTransportSecurityRequiresSecureConnection
            case .redirect: self = .redirectToNonExistentLocation
            case .body(let error): self.init(error)
            case .file(let error): self.init(error)
            case .limit(.timedOut), .limit(.noConnectionFree), .limit(.noConnectionOpened): self = .timedOut
            case .limit(.headTooLarge), .limit(.tooManyFields): self = .badServerResponse
            case .limit: self = .dataLengthExceedsMaximum
            case .cancelled: self = .cancelled
            }
        }

        private init(_ error: RequestError) {
            switch error {
            case .invalidURL, .invalidToken, .forbiddenCharacter: self = .badURL
            case .unsupportedScheme, .notEncrypted: self = .unsupportedURL
            case .plainHTTPForbidden: self = .appTransportSecurityRequiresSecureConnection
            }
        }

        private init(_ error: ConnectionError) {
            switch error {
            case .cannotResolve: self = .cannotFindHost
            case .cannotConnect(_, .timedOut), .cannotConnectToSocket(_, .timedOut): self = .timedOut
            case .cannotConnect, .cannotConnectToSocket: self = .cannotConnectToHost
            case .lost, .goAway: self = .networkConnectionLost
            case .httpVersionNotOffered: self = .badServerResponse
            }
        }

        private init(_ error: ProxyError) {
            switch error {
            case .authenticationRequired, .credentialRejected, .methodsNotAllowed: self = .userAuthenticationRequired
            case .malformedSOCKS: self = .badServerResponse
            case .refused, .socksRefused, .invalidVariable, .invalidException: self = .cannotConnectToHost
            }
        }

        private init(_ error: TrustError) {
            guard case .notTrusted(_, _, let verdict) = error else {
                self = .secureConnectionFailed
                return
            }
            switch verdict.failure {
            case .expired: self = .serverCertificateHasBadDate
            case .notYetValid: self = .serverCertificateNotYetValid
            case .selfSigned, .unknownRoot, .issuerNotFound: self = .serverCertificateHasUnknownRoot
            default: self = .serverCertificateUntrusted
            }
        }

        private init(_ error: BodyError) {
            switch error {
            case .notRepeatable, .usedUp, .wrongLength, .wrongPartLength: self = .requestBodyStreamExhausted
            case .truncated: self = .networkConnectionLost
            case .malformedContentCoding, .unknownContentCoding: self = .cannotDecodeContentData
            case .undecodableLine, .alreadyRead: self = .cannotParseResponse
            }
        }

        private init(_ error: FileError) {
            switch error {
            case .failed(_, .read, ENOENT): self = .fileDoesNotExist
            case .failed(_, .read, EACCES): self = .noPermissionsToReadFile
            default: self = .cannotOpenFile
            }
        }
    }
#endif
