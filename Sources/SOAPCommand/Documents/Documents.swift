// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import NIOConcurrencyHelpers
import NIOCore
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
    private let failure = NIOLockedValueBox<(any Error)?>(nil)

    init(client: any Client) { self.client = client }

    /// Why the first document that could not be fetched was not.
    var firstFailure: (any Error)? { failure.withLockedValue { $0 } }

    func document(at identifier: String) async throws -> [UInt8] {
        guard identifier.isWebURL else { return try await FileDocuments().document(at: identifier) }
        do {
            let response = try await client.get(identifier).expecting(.successful)
            return Array(try await response.body.collect(upTo: FileDocuments.limit).readableBytesView)
        } catch {
            failure.withLockedValue { $0 = $0 ?? error }
            throw error
        }
    }
}

extension String {
    /// Whether it is a URL that a session can fetch.
    var isWebURL: Bool { ["http://", "https://"].contains { lowercased().hasPrefix($0) } }
}
