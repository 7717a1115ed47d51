// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "From URLSession" that keeps URLSession, and of the library CountersignURLProtocol.

#if canImport(FoundationNetworking)
    import Countersign
    import CountersignURLProtocol
    import Foundation
    import FoundationNetworking
    import X509

    let roots: [Certificate] = []
    let identity = try Identity(contentsOf: URL(fileURLWithPath: "identity.p12"), passphrase: Secret("..."))

    final class IntranetProtocol: SessionURLProtocol {
        private static let intranet = HTTPSession(
            trust: TrustPolicy(anchors: .systemAnd(roots)),
            handlers: [.clientCertificate: .identity(identity, host: "intranet.example")])

        override class func session(for task: URLSessionTask) -> HTTPSession { intranet }
    }

    let configuration = URLSessionConfiguration.default
    configuration.protocolClasses = [IntranetProtocol.self]
    let urlSession = URLSession(configuration: configuration)
    _ = urlSession

    final class Manager: NSObject, URLSessionTaskDelegate {
        let session: HTTPSession

        init(session: HTTPSession) { self.session = session }
    }

    final class DelegateProtocol: SessionURLProtocol {
        override class func session(for task: URLSessionTask) throws -> HTTPSession {
            guard let manager = task.delegate as? Manager else { return try super.session(for: task) }
            return manager.session
        }
    }
#endif
