// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import NIOConcurrencyHelpers
import WSDLCompiler

/// Documents in files of this machine.
struct FileDocuments: DocumentSource {
    /// The most bytes of one document.
    static let limit = 64 << 20

    func document(at identifier: String) async throws -> [UInt8] {
        try InputFile.read(identifier, limit: Self.limit)
    }
}

/// Documents in files, and at URLs that a session fetches.
final class SessionDocuments: DocumentSource {
    private let client: any Client
    private let description: DocumentReference
    private let allowsRemote: Bool
    private let failure = NIOLockedValueBox<(any Error)?>(nil)

    /// - Parameters:
    ///   - client: What fetches.
    ///   - description: The path or the URL of the first document.
    ///   - allowsRemote: Whether a redirect of an imported document may lead to another origin than that of the description.
    init(client: any Client, description: String, allowsRemote: Bool) {
        (self.client, self.allowsRemote) = (client, allowsRemote)
        self.description = DocumentReference(description)
    }

    /// Why the first document that could not be fetched was not.
    var firstFailure: (any Error)? { failure.withLockedValue { $0 } }

    func document(at identifier: String) async throws -> [UInt8] {
        guard identifier.isWebURL else { return try await FileDocuments().document(at: identifier) }
        do {
            let response = try await client.send(request(for: identifier))
            if [401, 407].contains(response.status.code) {
                throw CommandError.rejected(response.url, status: response.status.text, need: nil)
            }
            return try await response.expecting(.successful).bytes(upTo: FileDocuments.limit)
        } catch {
            failure.withLockedValue { $0 = $0 ?? error }
            throw error
        }
    }
}

extension SessionDocuments {
    private func request(for identifier: String) -> Request {
        var request = Request(url: identifier)
        guard !allowsRemote, identifier != description.identifier else { return request }
        request.redirectDecision = { [description] redirect in
            DocumentReference(redirect.to).origin == description.origin ? .follow : .deliver
        }
        return request
    }
}

extension String {
    /// Whether it is a URL that a session can fetch.
    var isWebURL: Bool { ["http://", "https://"].contains { lowercased().hasPrefix($0) } }
}
