// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSession
import CommandSupport
import Countersign
import NIOConcurrencyHelpers
import WSDLCompiler

/// The options that select a service description and the documents that it imports.
///
/// The session's option groups are declared next to this one and not nested: in a debug build, ArgumentParser checks a
/// nested group four times as often as the enclosing one.
struct DescriptionOptionGroup: ParsableArguments {
    @Argument(help: ArgumentHelp("The service's WSDL: a file, or a URL of http or https.", valueName: "wsdl"))
    var description: String

    @Option(
        help: ArgumentHelp(
            "A file to read instead of an imported document, such as http://www.w3.org/2001/xml.xsd=xml.xsd; repeatable.",
            discussion: "The part before the last '=' is the document's URL as in the import, or its namespace.",
            valueName: "url=file"), transform: CatalogueEntry.init)
    var catalogue: [CatalogueEntry] = []

    @Flag(
        help: ArgumentHelp(
            "Fetch imported documents from every origin that imports name.",
            discussion:
                "Without it only those of the origin that the description came from. Passwords are for that origin alone."
        ))
    var allowRemote = false

    @Flag(
        help: "Skip operations that refer to missing definitions, with a warning, instead of refusing the description.")
    var skipBroken = false

    /// Whether a session fetches the description, so that the session options have an effect.
    var isFetched: Bool { description.isWebURL }

    /// Reads the description and all imported documents, and prints its warnings.
    ///
    /// - Parameters:
    ///   - session: The options of the session that fetches documents.
    ///   - console: The console for questions and warnings.
    /// - Returns: The description.
    /// - Throws: `WSDLCompilerError`, and errors of a session.
    func read(in session: SessionOptionGroups, on console: Console) async throws -> ServiceDescription {
        guard isFetched || allowRemote else {
            do {
                return report(try await .read(description, from: FileDocuments(), options: options), on: console)
            } catch {
                // The file's own error is more specific than the error that a document is unreadable.
                if case .unreadable = error { _ = try InputFile.read(description, limit: FileDocuments.limit) }
                throw error
            }
        }
        return try await session.withSession(for: isFetched ? [description] : [], on: console) { session in
            try await read(by: session, on: console)
        }
    }

    /// Reads the description as ``read(in:on:)`` does, in an open session.
    func read(by session: HTTPSession, on console: Console) async throws -> ServiceDescription {
        let source = SessionDocuments(client: session, description: description, allowsRemote: allowRemote)
        do {
            return report(try await .read(description, from: source, options: options), on: console)
        } catch {
            // The session's error is more specific than the error that a document is unreadable.
            if case .unreadable = error, let failure = source.firstFailure { throw failure }
            throw error
        }
    }

    private var options: DescriptionOptions {
        var options = DescriptionOptions()
        options.remoteDocuments = allowRemote ? .all : .sameHost
        options.omitsBrokenOperations = skipBroken
        options.catalogue = Dictionary(catalogue.map { ($0.reference, $0.file) }) { _, last in last }
        return options
    }

    /// Refuses credentials if nothing is fetched that could require them.
    func refuse(_ credentials: CredentialOptions) throws(UsageError) {
        if !isFetched, let option = credentials.firstCredentialOption {
            throw .useless(option, without: "the URL of a description")
        }
    }

    private func report(_ description: ServiceDescription, on console: Console) -> ServiceDescription {
        for warning in description.warnings { console.printError("countersign: \(warning)") }
        return description
    }
}

/// A document's reference, and the file that is read instead.
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

/// Reads documents from files of this machine.
struct FileDocuments: DocumentSource {
    /// The maximum size of a document, in bytes.
    static let limit = 64 << 20

    func document(at identifier: String) async throws -> [UInt8] {
        try InputFile.read(identifier, limit: Self.limit)
    }
}

/// Reads documents from files, and from URLs that a session fetches.
final class SessionDocuments: DocumentSource {
    private let client: any RequestSender
    private let description: DocumentReference
    private let allowsRemote: Bool
    private let failure = NIOLockedValueBox<(any Error)?>(nil)

    /// - Parameters:
    ///   - client: The client that fetches documents.
    ///   - description: The path or the URL of the first document.
    ///   - allowsRemote: Whether a redirect of an imported document may lead to an origin other than that of the
    ///     description.
    init(client: any RequestSender, description: String, allowsRemote: Bool) {
        (self.client, self.allowsRemote) = (client, allowsRemote)
        self.description = DocumentReference(description)
    }

    /// The error of the first document that could not be fetched.
    var firstFailure: (any Error)? { failure.withLockedValue { $0 } }

    func document(at identifier: String) async throws -> [UInt8] {
        guard identifier.isWebURL else { return try await FileDocuments().document(at: identifier) }
        do {
            let response = try await client.send(request(for: identifier))
            if [401, 407].contains(response.status.code) {
                let summary = response.summary(beginning: [])
                throw CommandError.rejected(
                    response.url, status: response.status.text, need: nil,
                    reason: summary.reason(otherwise: CommandError.unknownUser),
                    remark: summary.advice(otherwise: "") == ResponseSummary.firstRequestAdvice
                        ? "--auth basic sends the password with the first request." : nil)
            }
            return try await response.expecting(.successful).bytes(upTo: FileDocuments.limit)
        } catch {
            failure.withLockedValue { $0 = $0 ?? error }
            throw error
        }
    }
}

extension SessionDocuments {
    private func request(for identifier: String) -> SessionRequest {
        var request = SessionRequest(url: identifier)
        guard !allowsRemote, identifier != description.identifier else { return request }
        request.redirectDecision = { [description] redirect in
            DocumentReference(redirect.to).origin == description.origin ? .follow : .deliver
        }
        return request
    }
}

extension String {
    /// Whether the text is a URL that a session can fetch.
    var isWebURL: Bool { ["http://", "https://"].contains { lowercased().hasPrefix($0) } }
}
