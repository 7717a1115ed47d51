// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation

#if canImport(FoundationNetworking)
    import Countersign
    import CountersignURLProtocol
    import FoundationNetworking

    /// Sends the requests through a session that trusts the authority of the intranet.
    final class IntranetProtocol: SessionURLProtocol {
        private static let intranet = Result {
            HTTPSession(trust: TrustPolicy(anchors: try .only(contentsOf: URL(filePath: CommandLine.arguments[1]))))
        }

        override class func session(for task: URLSessionTask) throws -> HTTPSession { try intranet.get() }
    }
#endif

/// Answers challenges with a password, once.
final class PasswordDelegate: NSObject, URLSessionTaskDelegate {
    let credential: URLCredential

    init(user: String, password: String) {
        credential = URLCredential(user: user, password: password, persistence: .forSession)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isFirst = challenge.previousFailureCount == 0
        completionHandler(isFirst ? .useCredential : .cancelAuthenticationChallenge, isFirst ? credential : nil)
    }
}

/// Prints a page that requires a password, and downloads it, as a program for macOS does.
///
/// On Linux, two additions let it trust a private authority.
///
/// Usage: UnchangedURLSession ROOT.pem URL USER PASSWORD-FILE FILE
@main struct UnchangedURLSession {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let url = URL(string: arguments[2]) else {
            print("Usage: UnchangedURLSession ROOT.pem URL USER PASSWORD-FILE FILE")
            exit(2)
        }
        do {
            let password = try String(contentsOf: URL(filePath: arguments[4]), encoding: .utf8)
            let delegate = PasswordDelegate(user: arguments[3], password: password.trimmingCharacters(in: .newlines))
            let configuration = URLSessionConfiguration.default
            #if canImport(FoundationNetworking)
                configuration.protocolClasses = [IntranetProtocol.self]
            #endif
            let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
            let (data, response) = try await session.data(from: url)
            print((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
            let (file, _) = try await session.download(from: url)
            try FileManager.default.moveItem(at: file, to: URL(filePath: arguments[5]))
            session.finishTasksAndInvalidate()
        } catch {
            print(error.localizedDescription)
            exit(1)
        }
    }
}
