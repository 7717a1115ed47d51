// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSession
import CommandSupport
import Countersign
import NIOConcurrencyHelpers
import WSDLCompiler

/// Which description is read, and where the documents that it imports are.
///
/// The groups of the session's options stand beside this one and not in it: in a debug build, ArgumentParser checks a group four times as
/// often as the group around it.
struct DescriptionOptionGroup: ParsableArguments {
    @Argument(help: ArgumentHelp("The service's WSDL: a file, or a URL of http or https.", valueName: "wsdl"))
    var description: String

    @Option(
        help: ArgumentHelp(
            "A file to read in place of a document that is imported, such as http://www.w3.org/2001/xml.xsd=xml.xsd; repeatable.",
            discussion: "Before the last '=' stands the document's URL as the import has it, or its namespace.",
            valueName: "url=file"), transform: CatalogueEntry.init)
    var catalogue: [CatalogueEntry] = []

    @Flag(
        help: ArgumentHelp(
            "Fetch imported documents from every origin that imports name.",
            discussion:
                "Without it only those of the origin that the description came from. Passwords are for that origin alone."
        ))
    var allowRemote = false

    @Flag(help: "Leave out operations that refer to what the description lacks, and say so, in place of refusing it.")
    var skipBroken = false

    /// Whether a session fetches the description, so that the options of sessions have a use.
    var isFetched: Bool { description.isWebURL }

    /// Reads the description and all that it imports, and prints its warnings.
    ///
    /// - Parameters:
    ///   - session: The options of the session that fetches what is not in files.
    ///   - console: Where a person is asked and warned.
    /// - Returns: The description.
    /// - Throws: `WSDLCompilerError`, and what a session throws.
    func read(in session: SessionOptionGroups, on console: Console) async throws -> ServiceDescription {
        guard isFetched || allowRemote else {
            do {
                return report(try await .read(description, from: FileDocuments(), options: options), on: console)
            } catch {
                // The file's own error explains more than that a document cannot be read.
                if case .unreadable = error { _ = try InputFile.read(description, limit: FileDocuments.limit) }
                throw error
            }
        }
        return try await session.withSession(for: isFetched ? [description] : [], on: console) { session in
            try await read(by: session, on: console)
        }
    }

    /// Reads the description as ``read(in:on:)`` does, in a session that is open already.
    func read(by session: Session, on console: Console) async throws -> ServiceDescription {
        let source = SessionDocuments(client: session, description: description, allowsRemote: allowRemote)
        do {
            return report(try await .read(description, from: source, options: options), on: console)
        } catch {
            // What the session says of a server explains more than that a document cannot be read.
            if case .unreadable = error, let failure = source.firstFailure { throw failure }
            throw error
        }
    }

    private var options: DescriptionOptions {
        var options = DescriptionOptions()
        options.remoteDocuments = allowRemote ? .all : .sameHost
        options.leavesOutBrokenOperations = skipBroken
        options.catalogue = Dictionary(catalogue.map { ($0.reference, $0.file) }) { _, last in last }
        return options
    }

    /// Refuses credentials where nothing is fetched that they could be for.
    func refuse(_ credentials: CredentialOptions) throws(UsageError) {
        if !isFetched, let option = credentials.firstGiven {
            throw .useless(option, without: "the URL of a description")
        }
    }

    private func report(_ description: ServiceDescription, on console: Console) -> ServiceDescription {
        for warning in description.warnings { console.complain("countersign: \(warning)") }
        return description
    }
}

/// A document's reference and the file that is read in its place.
struct CatalogueEntry: Sendable {
    let reference: String
    let file: String

    init(_ text: String) throws(WrongValue) {
        guard let divider = text.lastIndex(of: "="), divider != text.startIndex,
            text.index(after: divider) != text.endIndex
        else { throw WrongValue("write URL=FILE or NAMESPACE=FILE") }
        (reference, file) = (String(text[..<divider]), String(text[text.index(after: divider)...]))
    }
}

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
